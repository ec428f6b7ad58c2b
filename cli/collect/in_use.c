#include "alive.h"
#include "collect.h"
#include "scan.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool in_use(const struct spool_dir *dir, const char *name, const struct machine *machine) {
    struct process process = {.dir = dir};
    bool other_version;
    if (strlen(name) != SPOOL_ID_DIGITS + strlen(".proc") || strcmp(name + SPOOL_ID_DIGITS, ".proc") != 0) return false;
    memcpy(process.id, name, SPOOL_ID_DIGITS);
    return scan_process(&process, &other_version) && strcmp(process.info.boot_id, machine->boot_id) == 0 &&
           process_alive(process.info.pid, process.info.start_time);
}

bool collect_spool_in_use(const char *spool) {
    struct machine machine;
    struct dirent *item;
    struct spool_dir dir = {.path = spool, .fd = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    DIR *stream = dir.fd < 0 ? NULL : fdopendir(dir.fd);
    bool used = false;
    if (!stream) {
        if (dir.fd >= 0) close(dir.fd);
        return false;
    }
    machine_read(&machine);
    while (!used && (item = readdir(stream))) used = in_use(&dir, item->d_name, &machine);
    closedir(stream);
    return used;
}
