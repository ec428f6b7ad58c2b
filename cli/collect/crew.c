#include "crew.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct shared {
    const struct crew *crew;
    pthread_mutex_t lock;
    size_t next;   /* piece that nobody has taken */
    size_t failed; /* the first of those that failed */
    int error;     /* of that one; 0 none */
};

static void note_error(struct shared *s, size_t piece, int error) {
    if (!error || (s->error && piece > s->failed)) return;
    s->error = error;
    s->failed = piece;
}

/* Takes the next piece. All pieces before one that fails have been taken before it and are done. */
static bool take(struct shared *s, size_t *piece) {
    const struct crew *crew = s->crew;
    if (s->error || s->next == crew->pieces) return false;
    *piece = s->next++;
    const int error = crew->first ? crew->first(crew->context, *piece) : 0;
    note_error(s, *piece, error);
    return !error;
}

static void *worker(void *argument) {
    struct shared *s = argument;
    size_t piece;
    pthread_mutex_lock(&s->lock);
    while (take(s, &piece)) {
        pthread_mutex_unlock(&s->lock);
        const int error = s->crew->work(s->crew->context, piece);
        pthread_mutex_lock(&s->lock);
        note_error(s, piece, error);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Signals are the first thread's: the others have no part in how the process ends. Fewer threads do the same work. */
static unsigned start(struct shared *s, pthread_t *threads, unsigned count) {
    sigset_t all, before;
    unsigned started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count && pthread_create(&threads[started], NULL, worker, s) == 0) started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

int crew_run(const struct crew *crew, size_t *failed) {
    struct shared shared = {.crew = crew, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[CREW_MOST];
    unsigned workers = crew->workers < CREW_MOST ? crew->workers : CREW_MOST;
    if (workers > crew->pieces) workers = (unsigned)crew->pieces;
    const unsigned others = workers > 1 ? start(&shared, threads, workers - 1) : 0;
    worker(&shared);
    for (unsigned i = 0; i < others; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&shared.lock);
    *failed = shared.failed;
    return shared.error;
}

unsigned crew_processors(void) {
    unsigned count = 1;
    for (int room = CPU_SETSIZE; room <= CPU_SETSIZE * 64; room *= 4) { /* the kernel may know more than a set holds */
        cpu_set_t *set = CPU_ALLOC(room);
        const size_t bytes = CPU_ALLOC_SIZE(room);
        const bool known = set && sched_getaffinity(0, bytes, set) == 0;
        if (known) count = (unsigned)CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (known) break;
    }
    return count < 1 ? 1 : count < CREW_MOST ? count : CREW_MOST;
}
