#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct state { /* what the child gets back before it becomes the program */
    sigset_t mask;
    struct sigaction on_child;
};

static sigset_t watched(void) {
    static const int signals[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&set, signals[i]);
    return set;
}

/* Before the fork, so that no signal is lost. SIGCHLD must not be ignored, or there is nothing to wait for. */
static void hold_signals(const sigset_t *signals, struct state *before) {
    sigprocmask(SIG_BLOCK, signals, &before->mask);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &before->on_child);
}

static void give_back_signals(const struct state *before) {
    sigaction(SIGCHLD, &before->on_child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* What came for a program that has ended is not for us. */
static void release_signals(const sigset_t *signals, const struct state *before) {
    int error = errno;
    sigaction(SIGCHLD, &before->on_child, NULL);
    while (sigtimedwait(signals, NULL, &(struct timespec){0}) > 0)
        ;
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    errno = error;
}

/* In the child: returns only by exiting. */
static void become(const struct program *program, void (*environment)(void *), void *argument,
                   const struct state *before, int report) {
    environment(argument);
    give_back_signals(before);
    program_execute(program);
    int error = errno;
    if (write(report, &error, sizeof error) < 0) { /* the parent is gone */
    }
    _exit(127);
}

/* The pipe ends without a word when the program's execve succeeded. */
static int read_start_error(int report) {
    int error = 0;
    ssize_t length;
    do length = read(report, &error, sizeof error);
    while (length < 0 && errno == EINTR);
    close(report);
    return length == sizeof error ? error : 0;
}

/* Stops this process if SIGTSTP does (it does not in an orphaned process group, where nobody could wake it). */
static void stop_here(void) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL);
    sigprocmask(SIG_BLOCK, &stop, NULL);
}

static void hand_on(pid_t pid, const siginfo_t *info) {
    switch (info->si_signo) {
    case SIGCHLD:
    case SIGINT:
    case SIGQUIT:
        return;
    case SIGTSTP:
        /* From the terminal the child has it too. Another sender knows us alone. */
        if (info->si_code != SI_KERNEL) kill(pid, SIGTSTP);
        stop_here();
        return;
    default:
        kill(pid, info->si_signo);
    }
}

static void wait_for(struct child *child, const sigset_t *signals) {
    for (;;) {
        siginfo_t info;
        pid_t ended = waitpid(child->pid, &child->status, WNOHANG);
        if (ended == child->pid || (ended < 0 && errno != EINTR)) return;
        if (sigwaitinfo(signals, &info) > 0) hand_on(child->pid, &info);
    }
}

bool child_run(const struct program *program, void (*environment)(void *), void (*started)(pid_t, void *),
               void *argument, struct child *child) {
    int report[2];
    struct state before;
    sigset_t signals = watched();
    *child = (struct child){0};
    if (pipe2(report, O_CLOEXEC)) return false;
    hold_signals(&signals, &before);
    child->pid = fork();
    if (child->pid == 0) {
        close(report[0]);
        become(program, environment, argument, &before, report[1]);
    }
    close(report[1]);
    if (child->pid > 0) {
        started(child->pid, argument);
        child->start_error = read_start_error(report[0]);
        wait_for(child, &signals);
    } else {
        close(report[0]);
    }
    release_signals(&signals, &before);
    return child->pid > 0;
}

bool child_call(int (*body)(void *), void *argument, struct child *child) {
    struct state before;
    sigset_t signals = watched();
    *child = (struct child){0};
    hold_signals(&signals, &before);
    child->pid = fork();
    if (child->pid == 0) {
        give_back_signals(&before);
        exit(body(argument));
    }
    if (child->pid > 0) wait_for(child, &signals);
    release_signals(&signals, &before);
    return child->pid > 0;
}

int child_exit_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
