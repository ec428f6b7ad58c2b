#include "options.h"

#include "memory.h"
#include "say.h"
#include "suggest.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 48, HELP_COLUMN = 27, HELP_WIDTH = 80 };

static const struct option_spec help_option = {'h', "help", NULL, "this text"};

static bool is_last(const struct option_spec *option) { return !option->key; }

static int argument_kind(const struct option_spec *option) {
    if (!option->argument) return no_argument;
    return option->argument[0] == '[' ? optional_argument : required_argument;
}

struct parser {
    struct option longs[MOST_OPTIONS + 2];
    char shorts[3 * MOST_OPTIONS + 4];
};

static void parser_make(const struct command_syntax *syntax, struct parser *parser) {
    size_t count = 0;
    char *at = parser->shorts;
    if (syntax->stop_early) *at++ = '+';
    *at++ = ':';
    for (const struct option_spec *option = syntax->options; !is_last(option) && count < MOST_OPTIONS; option++) {
        if (option->name)
            parser->longs[count++] = (struct option){option->name, argument_kind(option), NULL, option->key};
        if (option->key >= OPTION_LONG) continue;
        *at++ = (char)option->key;
        if (argument_kind(option) == required_argument) *at++ = ':';
    }
    parser->longs[count++] = (struct option){"help", no_argument, NULL, 'h'};
    parser->longs[count] = (struct option){0};
    *at++ = 'h';
    *at = '\0';
}

static void print_usage(const struct command_syntax *syntax, FILE *out) {
    fprintf(out, "usage: scope-profiler %s %s\n", syntax->name, syntax->usage);
}

int options_complain(const struct command_syntax *syntax, const char *format, ...) {
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    int made = vasprintf(&message, format, arguments);
    va_end(arguments);
    say("%s: %s", syntax->name, made < 0 ? "bad option" : message);
    if (made >= 0) free(message);
    print_usage(syntax, stderr);
    return OPTIONS_BAD;
}

static int complain_unknown(const struct command_syntax *syntax, const struct parser *parser, const char *word) {
    const char *names[MOST_OPTIONS + 1];
    size_t count = 0;
    while (parser->longs[count].name) names[count] = parser->longs[count].name, count++;
    char *bare = xcopy(word + strspn(word, "-"));
    bare[strcspn(bare, "=")] = '\0';
    size_t begins = 0;
    for (size_t i = 0; i < count; i++) begins += *bare && !strncmp(names[i], bare, strlen(bare));
    const char *near = suggest(bare, names, count);
    free(bare);
    if (begins > 1) return options_complain(syntax, "option %s is ambiguous", word);
    if (near) return options_complain(syntax, "no option %s; did you mean --%s?", word, near);
    return options_complain(syntax, "no option %s; scope-profiler %s --help lists them", word, syntax->name);
}

/* The option as it can be typed: --name, or -x where only the letter exists. */
static const char *spelled(const struct command_syntax *syntax, int key, char text[64]) {
    snprintf(text, 64, "-%c", key < OPTION_LONG ? key : '?');
    for (const struct option_spec *option = syntax->options; !is_last(option); option++)
        if (option->key == key && option->name) snprintf(text, 64, "--%s", option->name);
    return text;
}

/* One line an option: "option", letter, name, argument, help; tabs between, "-" for what there is not. */
static void list_option(const struct option_spec *option, FILE *out) {
    char letter[2] = {option->key < OPTION_LONG ? (char)option->key : '-', '\0'};
    fprintf(out, "option\t%s\t%s\t%s\t", letter, option->name ? option->name : "-",
            option->argument ? option->argument : "-");
    for (const char *at = option->help; *at; at++) fputc(*at == '\n' ? ' ' : *at, out);
    fputc('\n', out);
}

static int list_options(const struct command_syntax *syntax, FILE *out) {
    for (const struct option_spec *option = syntax->options; !is_last(option); option++) list_option(option, out);
    list_option(&help_option, out);
    return OPTIONS_HELP;
}

int options_next(const struct command_syntax *syntax, int argc, char **argv, const char **value) {
    struct parser parser;
    char text[64];
    if (argc == 2 && !strcmp(argv[1], "--list-options")) return list_options(syntax, stdout);
    parser_make(syntax, &parser);
    opterr = 0;
    int before = optind ? optind : 1;
    int key = getopt_long(argc, argv, parser.shorts, parser.longs, NULL);
    *value = optarg;
    switch (key) {
    case -1:
        return OPTIONS_END;
    case 'h':
        options_help(syntax, stdout);
        return OPTIONS_HELP;
    case ':':
        return options_complain(syntax, "option %s needs a value", spelled(syntax, optopt, text));
    case '?':
        if (!optopt) return complain_unknown(syntax, &parser, argv[optind - 1]);
        if (optopt < OPTION_LONG && strncmp(argv[before], "--", 2))
            return options_complain(syntax, "no option -%c; scope-profiler %s --help lists them", optopt, syntax->name);
        return options_complain(syntax, "option %s takes no value", spelled(syntax, optopt, text));
    default:
        return key;
    }
}

/* Words from a column on, broken where the line is full. Line breaks of the text count as blanks, empty lines stay. */
static void print_filled(FILE *out, const char *text, int column) {
    int at = column;
    while (*text) {
        const size_t gap = strspn(text, " \n"), length = strcspn(text + gap, " \n");
        const bool paragraph = gap > 1 && memmem(text, gap, "\n\n", 2);
        if (!length) break;
        const bool full = at > column && at + 1 + (int)length > HELP_WIDTH;
        if (full || paragraph) fprintf(out, "%s\n%*s", paragraph ? "\n" : "", column, "");
        if (full || paragraph) at = column;
        at += fprintf(out, "%s%.*s", at > column ? " " : "", (int)length, text + gap);
        text += gap + length;
    }
    fputc('\n', out);
}

static void print_option(const struct option_spec *option, FILE *out) {
    char left[80];
    int length = 0;
    const char *argument = option->argument ? option->argument : "";
    const char *between = !*argument ? "" : *argument == '[' ? "[=" : " ";
    if (*argument == '[') argument++;
    if (option->key < OPTION_LONG && option->name)
        length = snprintf(left, sizeof left, "  -%c, --%s%s%s", option->key, option->name, between, argument);
    else if (option->name)
        length = snprintf(left, sizeof left, "      --%s%s%s", option->name, between, argument);
    else
        length = snprintf(left, sizeof left, "  -%c %s", option->key, argument);
    if (length >= HELP_COLUMN - 1) fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    if (length < HELP_COLUMN - 1) fprintf(out, "%-*s", HELP_COLUMN, left);
    print_filled(out, option->help, HELP_COLUMN);
}

void options_help(const struct command_syntax *syntax, FILE *out) {
    print_usage(syntax, out);
    fputc('\n', out);
    print_filled(out, syntax->summary, 0);
    fputc('\n', out);
    for (const struct option_spec *option = syntax->options; !is_last(option); option++) print_option(option, out);
    print_option(&help_option, out);
    if (!syntax->footer) return;
    fputc('\n', out);
    print_filled(out, syntax->footer, 0);
}
