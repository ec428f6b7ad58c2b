/* run: start a program with the recorder preloaded, and make its profile when it has ended. */
#include "base/memory.h"
#include "base/options.h"
#include "base/path.h"
#include "base/say.h"
#include "commands.h"
#include "launch/child.h"
#include "launch/elf.h"
#include "launch/finish.h"
#include "launch/launcher.h"
#include "launch/output.h"
#include "launch/preload.h"
#include "launch/process.h"
#include "launch/program.h"
#include "launch/python.h"
#include "launch/recording.h"
#include "launch/repeat.h"
#include "launch/session.h"
#include "launch/watcher.h"
#include "parse.h"
#include "spool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LABEL = OPTION_LONG,
    COMPRESS,
    AGGREGATION_MODE,
    THROTTLE,
    MAX_SIZE,
    BUFFER_LIMIT,
    SAMPLE_EVERY,
    NO_OUTPUT,
    METADATA,
    CAPTURE_SOURCE,
    TAG,
    RECURSIVE,
    NO_RECURSIVE,
    ALL,
    INCLUDE,
    EXCLUDE,
    PYTHON,
    PYTHON_HOOK,
    LINE_PROFILE,
    LINE_FUNCTION,
    KEEP_SPOOL,
    REPEAT,
    ALTERNATE
};

static const struct option_spec options[] = {
    {'o', "outfile", "FILE", "the profile to write (default: profiling_data.h5); JSON if it ends in .json or .json.gz"},
    {NO_OUTPUT, "no-output", NULL, "no file: record in memory, show the summary alone"},
    {'q', "quiet", NULL, "no summary at the end, only problems"},
    {LABEL, "label", "TEXT", "a name for the run, kept in the profile"},
    {METADATA, "metadata", "DETAIL", "minimal (default: no user, host or directory), full"},
    {CAPTURE_SOURCE, "capture-source", NULL, "keep the source text of regions, for inspect --source"},
    {COMPRESS, "compress", "[LEVEL]", "1 (fast) to 9, or 0 for none; without a level: 4"},
    {AGGREGATION_MODE, "aggregation-mode", NULL, "add the calls up, keep none: number, times, own time"},
    {THROTTLE, "throttle", "CALLS:TIME", "add up what has more and shorter calls (100000:1us)"},
    {MAX_SIZE, "max-size", "SIZE", "keep so much of each process (500M), count the rest"},
    {SAMPLE_EVERY, "sample-every", "N[:START][:REGION]", "one phase in N: outermost calls, or those of REGION"},
    {BUFFER_LIMIT, "buffer-limit", "N", "calls that a thread holds back (default: 16384)"},
    {RECURSIVE, "recursive", NULL, "record the program's own Python functions"},
    {NO_RECURSIVE, "no-recursive", NULL, "do not (the default)"},
    {ALL, "all", NULL, "also those of libraries (implies --recursive)"},
    {INCLUDE, "include", "GLOB", "only such regions, MPI calls, Python functions (module.function); may be repeated"},
    {EXCLUDE, "exclude", "GLOB", "none of such a name; may be repeated"},
    {TAG, "tag", "NAME", "only regions that carry the tag; may be repeated"},
    {PYTHON, "python", "FILE", "the Python that runs PROGRAM (default: python3)"},
    {PYTHON_HOOK, "python-hook", "NAME",
     "how calls are seen: setprofile, evalframe (3.8 to 3.11), monitoring (from 3.12), auto (the default)"},
    {LINE_PROFILE, "line-profile", NULL, "count the lines of the program's Python functions"},
    {LINE_FUNCTION, "line-function", "GLOB",
     "only those of [module.]function; may be repeated (implies --line-profile)"},
    {KEEP_SPOOL, "keep-spool", NULL, "leave the raw recording beside the profile"},
    {REPEAT, "repeat", "N", "run it N times: FILE-1.h5, FILE-2.h5, ... for check"},
    {ALTERNATE, "alternate", "COMMAND", "of a shell, to run in turn with it: FILE-other-1.h5"},
    {'m', NULL, "MODULE", "run a Python module, as python3 -m does"},
    {0},
};

static const struct command_syntax syntax = {
    .name = "run",
    .usage = "[options] [--] PROGRAM [ARGUMENT...]\n"
             "       scope-profiler run [options] -m MODULE [ARGUMENT...]",
    .summary = "Runs PROGRAM as it would run without us, records its regions, MPI calls and Python "
               "functions, and writes one profile for it and all its child processes.",
    .options = options,
    .footer = "Options end at PROGRAM. Python files (.py, .pyz, a directory with __main__.py) are started by "
              "python3. The exit status is the program's: 128 + the signal that ended it, 126 or 127 when it cannot "
              "be started, 2 for bad usage.\n\n"
              "With MPI, mpirun -n 4 scope-profiler run ./app (or run mpirun -n 4 ./app) makes one profile for all "
              "ranks. A run inside a run records into the outer one.",
    .stop_early = true,
};

struct run {
    const char *given; /* output, as typed */
    const char *label, *module, *python;
    int compress;
    bool quiet, keep, no_output;
    struct recording_request recording;
    struct python_request request;
    unsigned repeat;       /* 0: one run, under the name that was given */
    const char *alternate; /* command of the other program */
    struct program program;
    struct output output;
    struct preload preload; /* library NULL: nothing is preloaded */
    struct session session;
    struct process started; /* the program */
    char *why_nothing;
};

static int take_repeat(struct run *run, const char *text) {
    char *end;
    const unsigned long times = strtoul(text, &end, 10);
    run->repeat = (unsigned)times;
    if (*text >= '0' && *text <= '9' && !*end && times >= 1 && times <= REPEAT_MOST) return 0;
    return options_complain(&syntax, "--repeat: '%s' is none of 1 to %d", text, REPEAT_MOST);
}

static int complain(char *why) {
    const int status = options_complain(&syntax, "%s", why);
    free(why);
    return status;
}

static int parse(int argc, char **argv, struct run *run) {
    const char *value;
    char *why;
    *run = (struct run){.label = getenv(SPOOL_ENV_LABEL)};
    for (int key; !run->module && (key = options_next(&syntax, argc, argv, &value)) != OPTIONS_END;) switch (key) {
        case 'o':
            run->given = value;
            break;
        case 'q':
            run->quiet = true;
            break;
        case 'm':
            run->module = value;
            break;
        case LABEL:
            run->label = value;
            break;
        case COMPRESS:
            if (!parse_compress(value, &run->compress))
                return options_complain(&syntax, "--compress: level '%s' is none of 0 to 9", value);
            break;
        case AGGREGATION_MODE:
            run->recording.aggregate = true;
            break;
        case THROTTLE:
            if (!recording_throttle(&run->recording, value, &why)) return complain(why);
            break;
        case MAX_SIZE:
            if (!recording_max_size(&run->recording, value, &why)) return complain(why);
            break;
        case BUFFER_LIMIT:
            if (!recording_buffer_limit(&run->recording, value, &why)) return complain(why);
            break;
        case SAMPLE_EVERY:
            if (!recording_sample_every(&run->recording, value, &why)) return complain(why);
            break;
        case METADATA:
            if (!recording_metadata(&run->recording, value, &why)) return complain(why);
            break;
        case CAPTURE_SOURCE:
            run->recording.capture_source = true;
            break;
        case NO_OUTPUT:
            run->no_output = true;
            break;
        case TAG:
            python_add_glob(&run->recording.tags, value);
            break;
        case RECURSIVE:
            run->request.functions = true;
            break;
        case NO_RECURSIVE:
            run->request.functions = run->request.all = false;
            break;
        case ALL:
            run->request.functions = run->request.all = true;
            break;
        case INCLUDE:
            python_add_glob(&run->recording.include, value);
            break;
        case EXCLUDE:
            python_add_glob(&run->recording.exclude, value);
            break;
        case PYTHON:
            run->python = value;
            break;
        case PYTHON_HOOK:
            if (!python_hook_exists(value))
                return options_complain(&syntax, "--python-hook: '%s' is none of %s", value, python_hook_names);
            run->request.hook = value;
            break;
        case LINE_FUNCTION:
            python_add_glob(&run->request.line_functions, value);
            run->request.lines = true;
            break;
        case LINE_PROFILE:
            run->request.lines = true;
            break;
        case KEEP_SPOOL:
            run->keep = true;
            break;
        case REPEAT:
            if (take_repeat(run, value)) return OPTIONS_BAD;
            break;
        case ALTERNATE:
            run->alternate = value;
            break;
        default:
            return key;
        }
    if (run->alternate && !run->repeat) return options_complain(&syntax, "--alternate needs --repeat");
    if (run->no_output && (run->given || run->repeat || run->keep))
        return options_complain(&syntax, "--no-output: nothing can be written with %s",
                                run->given    ? "--outfile"
                                : run->repeat ? "--repeat"
                                              : "--keep-spool");
    if (!run->given && !run->repeat && !run->keep) run->no_output |= recording_is_on(SPOOL_ENV_NO_OUTPUT);
    if (!run->given) run->given = run->no_output ? "memory" : "profiling_data.h5";
    if (!run->module && optind >= argc) return options_complain(&syntax, "which program?");
    return 0;
}

/* ---- what the program inherits ----------------------------------------------------------------------------------- */

static void set_environment(void *argument) {
    const struct run *run = argument;
    if (!run->preload.library) return;
    char *command = preload_command();
    preload_set(&run->preload);
    setenv(SPOOL_ENV_SPOOL, run->session.spool, 1);
    setenv(SPOOL_ENV_COMMAND, command, 1);
    recording_set_environment(&run->recording);
    python_set_environment(&run->request);
    launcher_pass_environment(run->program.path);
    free(command);
}

static char *explain(const struct verdict *verdict) {
    if (!verdict->cause) return NULL;
    char *path = path_relative(verdict->path);
    char *text = xformat("%s %s, so no library can be preloaded into it", path, verdict->cause);
    free(path);
    return text;
}

/* Judges the program, and finds the library unless it would do harm there. */
static bool prepare_preload(struct run *run, char **why) {
    struct verdict verdict = entry_judge(run->program.path);
    bool harm = entry_must_not_preload(verdict.entry);
    if (!verdict.cause) {
        verdict_free(&verdict);
        verdict = entry_judge_words(run->program.argv);
    }
    const char *off = recording_why_nothing(&run->recording);
    run->why_nothing = off ? xcopy(off) : explain(&verdict);
    verdict_free(&verdict);
    return harm || preload_find(&run->preload, why);
}

static struct finish what_to_finish(const struct run *run) {
    return (struct finish){.spools = (const char *const *)&run->session.spool,
                           .num_spools = 1,
                           .output = run->output.path,
                           .label = run->label,
                           .compress = run->compress,
                           .keep = run->keep,
                           .quiet = run->quiet,
                           .passing = run->no_output,
                           .named = run->given,
                           .why_nothing = run->why_nothing,
                           .functions = run->request.functions,
                           .include = run->recording.include,
                           .line_functions = run->request.line_functions};
}

/* ---- not under a launcher ---------------------------------------------------------------------------------------- */

/* Says in the spool who records and who will collect, for commands that meet it. */
static void note_processes(pid_t child, void *argument) {
    struct run *run = argument;
    char node[NODE_DIGITS + 1], *watcher, *program;
    proc_node(node);
    watcher = xformat("watcher-%s", node);
    program = xformat("rank-0-%s", node);
    proc_record(run->session.descriptor, watcher, proc_of(getpid()));
    run->started = proc_of(child);
    proc_record(run->session.descriptor, program, run->started);
    free(program);
    free(watcher);
}

static struct session_options session_asked(const struct run *run) {
    return (struct session_options){.label = run->label,
                                    .compress = run->compress,
                                    .full_metadata = recording_full_metadata(&run->recording),
                                    .capture_source = recording_capture_source(&run->recording)};
}

static int run_here(struct run *run) {
    const struct session_options session = session_asked(run);
    struct child child;
    char *why = NULL;
    if (!session_make(&run->output, &session, &run->session, &why)) {
        say("%s", why);
        free(why);
        return 2;
    }
    bool made = child_run(&run->program, set_environment, note_processes, run, &child);
    if (!made || child.start_error) {
        int status = made ? program_failure(run->program.argv[0], child.start_error, &why) : 1;
        say("%s", made ? why : strerror(errno));
        free(why);
        session_remove(&run->session);
        return status;
    }
    proc_record_end(run->session.descriptor, run->started);
    struct finish what = what_to_finish(run);
    what.child = child.pid;
    what.child_status = child.status;
    bool nothing;
    int failed = finish(&what, &nothing), status = child_exit_status(child.status);
    if (nothing && !run->keep) session_remove(&run->session);
    session_close(&run->session);
    return status ? status : failed;
}

/* ---- one rank of a launch ---------------------------------------------------------------------------------------- */

/* A launch may run several programs after each other in one rank (a shell script): the recording of the one before is
 * collected first, and each has a spool of its own. */
static bool join_launch(struct run *run, struct launcher *launcher, char **why) {
    enum { TRIES = 200, PAUSE_MS = 50 };
    const struct session_options session = session_asked(run);
    struct finish what = what_to_finish(run);
    what.expected_ranks = launcher->size;
    for (int try = 0;; try++) {
        if (!session_share(&run->output, &session, launcher->launch, &run->session, why)) return false;
        if (watcher_join(&run->session, launcher, &what, run->preload.directory) == 0) return true;
        *why = xformat("%s: cannot register: %s", run->session.spool, strerror(errno));
        bool again = errno == EEXIST || errno == ENOENT; /* registered before, or just being removed */
        session_close(&run->session);
        if (!again || try >= 2 * TRIES) return false;
        free(*why);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
        if (try >= TRIES) launcher->launch++; /* it is being kept */
    }
}

static int run_rank(struct run *run, struct launcher *launcher) {
    char *why = NULL;
    if (!join_launch(run, launcher, &why)) {
        say("%s", why);
        free(why);
        return 2;
    }
    set_environment(run);
    program_execute(&run->program);
    int status = program_failure(run->program.argv[0], errno, &why);
    say("%s", why);
    free(why);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int refuse(int status, char *why) {
    say("%s", why);
    free(why);
    return status;
}

/* The outer run records this program already. The variable alone does not say so: it outlives its run in whatever that
 * left in the background, and may have come from another machine. */
static bool inside_a_run(void) {
    const char *spool = getenv(SPOOL_ENV_SPOOL);
    struct stat status;
    return spool && stat(spool, &status) == 0 && S_ISDIR(status.st_mode);
}

static int start(struct run *run, char *const *words) {
    struct launcher launcher;
    char *why = NULL;
    int status = run->python ? program_with_python(words, run->module, run->python, &run->program, &why)
                             : program_resolve(words, run->module, &run->program, &why);
    if (status) return refuse(status, why);
    if (inside_a_run()) {
        program_execute(&run->program);
        status = program_failure(run->program.argv[0], errno, &why);
        return refuse(status, why);
    }
    const bool launched = launcher_detect(&launcher);
    const bool writable = run->no_output
                              ? output_in_memory(launched ? launcher.launch : (uint64_t)getpid(), &run->output, &why)
                              : output_judge(run->given, &run->output, &why);
    if (!writable || !recording_judge(&run->recording, &why)) return refuse(2, why);
    if (!prepare_preload(run, &why)) return refuse(1, why);
    status = launched ? run_rank(run, &launcher) : run_here(run);
    preload_remove(&run->preload);
    return status;
}

/* ---- several runs ------------------------------------------------------------------------------------------------ */

struct runs {
    const struct run *asked;
    char *const *words;
};

static int run_numbered(void *argument, const char *output, bool other) {
    const struct runs *runs = argument;
    struct run run = *runs->asked;
    char *const command[] = {"sh", "-c", (char *)run.alternate, NULL};
    run.given = output;
    run.quiet = true; /* one table after the other would say little */
    if (other) run.module = run.python = NULL;
    int status = start(&run, other ? command : runs->words);
    program_free(&run.program);
    output_free(&run.output);
    free(run.why_nothing);
    return status;
}

static int start_repeatedly(const struct run *run, char *const *words) {
    struct launcher launcher;
    struct runs runs = {run, words};
    const struct repeat repeat = {.times = run->repeat,
                                  .alternate = run->alternate != NULL,
                                  .output = run->given,
                                  .quiet = run->quiet,
                                  .once = run_numbered,
                                  .argument = &runs};
    char *why;
    if (!output_judge_name(run->given, &why)) return refuse(2, why);
    if (!launcher_detect(&launcher)) return repeat_runs(&repeat);
    say("--repeat cannot be used in a rank of an MPI launch: put it around (scope-profiler run --repeat %u mpirun ...)",
        run->repeat);
    return 2;
}

int command_run(int argc, char **argv) {
    struct run run;
    int parsed = parse(argc, argv, &run);
    if (parsed) return parsed == OPTIONS_HELP ? 0 : 2;
    int status = run.repeat ? start_repeatedly(&run, argv + optind) : start(&run, argv + optind);
    program_free(&run.program);
    output_free(&run.output);
    recording_request_free(&run.recording);
    python_request_free(&run.request);
    free(run.why_nothing);
    return status;
}
