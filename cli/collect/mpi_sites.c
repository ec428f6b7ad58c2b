/* Call sites: the same place of the same object is one, whichever process called from there. */
#include "log.h"
#include "mpi_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL_MAX 1000000

struct reading {
    struct mpi_sites *sites;
    struct my_sites *mine;
};

static bool make_room(struct my_sites *mine, uint32_t serial) {
    if (serial < mine->count) return true;
    const uint32_t count = serial * 2 + 64;
    uint32_t *items = realloc(mine->items, count * sizeof *items);
    if (!items) return false;
    memset(items + mine->count, 0, (count - mine->count) * sizeof *items);
    *mine = (struct my_sites){items, count};
    return true;
}

static struct mpi_site *add(struct mpi_sites *sites, char *key, size_t length, const struct spool_mpi_site *about,
                            const char *symbol) {
    struct mpi_site *site = calloc(1, sizeof *site);
    if (!site) return NULL;
    const char *slash = strrchr(key, '/');
    *site = (struct mpi_site){.key = key, .object = slash ? slash + 1 : key, .line = -1, .offset = about->offset};
    site->symbol = strndup(symbol, about->symbol_length);
    site->index = ++sites->count;
    HASH_ADD_KEYPTR(hh, sites->table, site->key, length, site);
    return site->symbol && site->hh.tbl ? site : NULL;
}

/* The key is the path, a NUL, the offset. */
static bool take_site(void *data, const char *body, uint32_t length) {
    const struct reading *r = data;
    struct mpi_sites *sites = r->sites;
    struct spool_mpi_site about;
    if (length < sizeof about) return true;
    memcpy(&about, body, sizeof about);
    if ((uint64_t)about.object_length + about.symbol_length > length - sizeof about || !about.serial ||
        about.serial > SERIAL_MAX)
        return true;
    if (!make_room(r->mine, about.serial)) return false;
    const size_t key_length = (size_t)about.object_length + 1 + sizeof about.offset;
    char *key = calloc(1, key_length);
    if (!key) return false;
    memcpy(key, body + sizeof about, about.object_length);
    memcpy(key + about.object_length + 1, &about.offset, sizeof about.offset);
    struct mpi_site *site;
    HASH_FIND(hh, sites->table, key, key_length, site);
    if (site)
        free(key);
    else if (!(site = add(sites, key, key_length, &about, body + sizeof about + about.object_length)))
        return false;
    r->mine->items[about.serial] = site->index;
    return true;
}

bool mpi_sites_read(struct mpi_sites *sites, struct my_sites *mine, const struct process *process) {
    struct reading r = {sites, mine};
    return log_each(process, SPOOL_MPI_SITE, take_site, &r);
}

uint32_t mpi_sites_index(const struct my_sites *mine, uint64_t serial) {
    return serial < mine->count ? mine->items[serial] : 0;
}

void mpi_sites_forget(struct my_sites *mine) {
    free(mine->items);
    *mine = (struct my_sites){0};
}

void mpi_sites_free(struct mpi_sites *sites) {
    struct mpi_site *site, *next;
    HASH_ITER(hh, sites->table, site, next) {
        HASH_DEL(sites->table, site);
        free(site->key);
        free(site->symbol);
        free(site->file);
        free(site);
    }
}
