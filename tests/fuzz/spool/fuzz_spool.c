/* fuzz_spool.c: collect on spools built from the input. The input is a list of steps, so that most of what comes out is
 * nearly a spool: processes, regions, words; and then patches of any field, any bytes, any length. Whatever it is,
 * collect must return, and a profile that it writes must make sense. */
#include "collect.h"
#include "profile_read.h"
#include "spool_make.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSES = 3, LANES = 4, WORDS_MAX = 8192 };

struct input {
    const uint8_t *at, *end;
};

struct spool {
    struct make_spool files;
    struct make_process processes[PROCESSES];
    struct make_lane lanes[LANES];
    int num_processes, num_lanes;
    uint64_t tick;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned byte(struct input *in) { return in->at < in->end ? *in->at++ : 0; }

static uint64_t number(struct input *in, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | byte(in);
    return value;
}

/* Up to 255 bytes of the input; their length goes before them. */
static size_t text(struct input *in, char *into) {
    size_t length = byte(in);
    if (length > (size_t)(in->end - in->at)) length = (size_t)(in->end - in->at);
    memcpy(into, in->at, length);
    in->at += length;
    return length;
}

static struct make_process *process(struct spool *s) { return &s->processes[s->num_processes - 1]; }
static struct make_lane *lane(struct spool *s) { return s->num_lanes ? &s->lanes[s->num_lanes - 1] : NULL; }

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static void new_process(struct spool *s, struct input *in) {
    (void)in;
    if (s->num_processes == PROCESSES) return;
    make_process(&s->files, &s->processes[s->num_processes++], (unsigned)s->num_processes);
}

static void patch_process(struct spool *s, struct input *in) {
    char bytes[256];
    size_t at = number(in, 2) % sizeof(struct spool_process), length = text(in, bytes);
    if (length > sizeof(struct spool_process) - at) length = sizeof(struct spool_process) - at;
    memcpy((char *)&process(s)->info + at, bytes, length);
}

static void new_region(struct spool *s, struct input *in) {
    char name[256];
    size_t length = text(in, name);
    make_region_full(process(s), name, length, "dir/file.c", (int)byte(in) - 1, NULL);
}

static void raw_record(struct spool *s, struct input *in) {
    char bytes[256];
    uint32_t type = byte(in);
    size_t length = text(in, bytes);
    make_record(process(s), type, bytes, (uint32_t)length);
}

static void new_lane(struct spool *s, struct input *in) {
    if (s->num_lanes == LANES) return;
    make_lane(process(s), &s->lanes[s->num_lanes++], s->tick);
    lane(s)->window_bytes = SPOOL_PAGE * (1 + byte(in) % 4);
}

static int room(const struct make_lane *l) { return l && l->count - l->flushed < 256 && l->count < WORDS_MAX; }

static void events(struct spool *s, struct input *in) {
    for (unsigned n = byte(in); n > 0 && room(lane(s)); n--) {
        unsigned what = byte(in);
        s->tick += byte(in);
        if (what & 0x80)
            make_end(lane(s), s->tick, what & 0x7f);
        else
            make_begin(lane(s), s->tick, what);
    }
}

/* The same few events many times: depth, overlap and forgotten ends in numbers. */
static void repeat(struct spool *s, struct input *in) {
    uint8_t what[4] = {(uint8_t)byte(in), (uint8_t)byte(in), (uint8_t)byte(in), (uint8_t)byte(in)};
    for (unsigned n = byte(in) * 8; n > 0 && lane(s) && lane(s)->count < WORDS_MAX; n--) {
        for (int i = 0; i < 4; i++)
            make_word(lane(s), (s->tick++ - lane(s)->base) << SPOOL_TICK_SHIFT | (what[i] & 0x80 ? SPOOL_KIND_END : 0) |
                                   (what[i] & 0x7f));
        make_flush(lane(s));
    }
}

static void raw_words(struct spool *s, struct input *in) {
    for (unsigned n = byte(in) % 16; n > 0 && room(lane(s)); n--) make_word(lane(s), number(in, 8));
}

static void group(struct spool *s, struct input *in) {
    unsigned type = byte(in) % 8, count = byte(in) % 8;
    if (!room(lane(s))) return;
    make_word(lane(s), SPOOL_GROUP(type, 0, count));
    for (unsigned i = byte(in) % 8; i < 8 && count; i++, count--) make_word(lane(s), s->tick + number(in, 2));
}

/* Tasks that take turns, end and come again, in whichever lane. */
static void tasks(struct spool *s, struct input *in) {
    for (unsigned n = byte(in) % 16; n > 0 && room(lane(s)); n--) {
        const unsigned what = byte(in), serial = what >> 2 & 7;
        s->tick += byte(in);
        if ((what & 3) == 3 && what & 0x80)
            make_task(lane(s), serial, what >> 5 & 3, "Task-1", "main");
        else if ((what & 3) == 3)
            make_task_done(lane(s), serial);
        else
            make_switch(lane(s), s->tick, serial, what & 3);
        if (what & 0x40) make_begin(lane(s), s->tick, 1);
        if (what & 0x20) make_end(lane(s), s->tick, 1);
    }
}

static void flush(struct spool *s, struct input *in) {
    (void)in;
    if (lane(s)) make_flush(lane(s));
}

static void states(struct spool *s, struct input *in) {
    struct make_lane *l = lane(s);
    unsigned what = byte(in);
    if (!l) return;
    l->trailing = what & 7;
    l->committed_more = what & 8 ? number(in, 8) >> byte(in) % 64 : 0;
    l->clearing = (what & 16) != 0;
}

static void session(struct spool *s, struct input *in) {
    char line[257];
    size_t length = text(in, line);
    line[length] = '\0';
    if (!strstr(line, "output")) make_session(&s->files, line);
}

/* Any bytes anywhere in a file that is there already, or its end cut off. */
static void damage(struct spool *s, struct input *in) {
    char path[600], bytes[256];
    unsigned what = byte(in);
    off_t at = (off_t)number(in, 2);
    size_t length = text(in, bytes);
    static const char *const kinds[] = {".proc", ".log", "-0.lane", "-1.lane"};
    snprintf(path, sizeof path, "%s/%s%s", s->files.spool, process(s)->id, kinds[what % 4]);
    int fd = open(path, O_WRONLY);
    if (fd < 0) return;
    if (what & 4) {
        if (ftruncate(fd, at) != 0) abort();
    } else if (pwrite(fd, bytes, length, at) < 0)
        abort();
    close(fd);
}

static void write_all(struct spool *s) {
    for (int i = 0; i < s->num_lanes; i++) make_lane_write(&s->lanes[i]);
    for (int i = 0; i < s->num_processes; i++) make_process_write(&s->processes[i]);
    s->num_lanes = 0;
}

static void build(struct spool *s, struct input *in) {
    static void (*const steps[])(struct spool *, struct input *) = {
        new_process, patch_process, new_region, raw_record, new_lane, events,
        repeat,      raw_words,     group,      flush,      states,   session,
    };
    enum { STEPS = sizeof steps / sizeof *steps };
    unsigned step = 0;
    make_process(&s->files, &s->processes[s->num_processes++], 0);
    /* Inputs that were kept shall mean what they meant: what comes later has numbers of its own. */
    while (in->at < in->end && (step = byte(in)) <= 2 * STEPS) (step == 2 * STEPS ? tasks : steps[step % STEPS])(s, in);
    write_all(s);
    while (in->at < in->end) damage(s, in);
}

/* ---- what a profile must hold ----------------------------------------------------------------------------------- */

static void need(int condition) {
    if (!condition) abort();
}

static void check(const char *path, uint64_t calls) {
    hid_t file = read_open(path);
    struct numbers counts = read_numbers(file, "/rank_region_index/event_counts");
    struct numbers offsets = read_numbers(file, "/rank_region_index/event_offsets");
    struct numbers exclusive = read_numbers(file, "/rank_region_index/exclusive_totals");
    struct numbers durations = read_numbers(file, "/events/durations");
    int64_t sum = 0;
    for (size_t i = 0; i < counts.count; i++) {
        need(offsets.values[i] == sum && exclusive.values[i] >= -1);
        sum += counts.values[i];
    }
    need((uint64_t)sum == calls && durations.count == calls);
    for (size_t i = 0; i < durations.count; i++) need(durations.values[i] >= 0);
    numbers_free(&counts);
    numbers_free(&offsets);
    numbers_free(&exclusive);
    numbers_free(&durations);
    H5Fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input in = {data, data + size};
    struct spool s = {.tick = 2000};
    struct collect_result result;
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    make_spool(&s.files);
    build(&s, &in);
    const char *spools[] = {s.files.spool};
    struct collect_options options = {
        .spools = spools, .num_spools = 1, .output = s.files.output, .compress = -1, .jobs = 2};
    enum collect_status status = collect(&options, &result);
    if (status == COLLECT_OK) check(s.files.output, result.calls);
    need((status == COLLECT_FAILED) == (result.message[0] != '\0'));
    collect_result_free(&result);
    make_spool_remove(&s.files);
    return 0;
}
