#include "alive.h"
#include "files.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void machine_read(struct machine *machine) {
    *machine = (struct machine){0};
    file_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", machine->boot_id, sizeof machine->boot_id);
    machine->boot_id[strcspn(machine->boot_id, "\n")] = '\0';
    if (gethostname(machine->host, sizeof machine->host - 1) != 0) machine->host[0] = '\0';
    struct stat status;
    if (stat("/proc/self/ns/time", &status) == 0) machine->time_namespace = (uint64_t)status.st_ino;
    machine->now_ns = clock_monotonic_now();
}

/* State and field 22 of /proc/<pid>/stat; false: no such process. */
static bool read_stat(int64_t pid, char *state, uint64_t *start_time) {
    char path[64], text[1024];
    if (pid <= 0) return false;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    if (!file_text(AT_FDCWD, path, text, sizeof text)) return false;
    char *at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at || sscanf(at + 1, " %c", state) != 1) return false;
    return sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
                  start_time) == 1;
}

uint64_t process_start_time(int64_t pid) {
    char state;
    uint64_t start_time;
    return read_stat(pid, &state, &start_time) ? start_time : 0;
}

bool process_alive(int64_t pid, uint64_t start_time) {
    char state;
    uint64_t found;
    if (!read_stat(pid, &state, &found)) return false;
    return state != 'Z' && state != 'X' && (!start_time || start_time == found);
}
