#include "model.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_KEPT 20

/* Names and paths may hold anything; a message is one line whatever they hold. */
static void one_line(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f) *c = '?';
}

bool fail(struct report *report, const char *format, ...) {
    if (report->message[0]) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->message, sizeof report->message, format, arguments);
    va_end(arguments);
    one_line(report->message);
    return false;
}

bool fail_memory(struct report *report) { return fail(report, "collect: not enough memory"); }

static void keep(struct report *report, const char *text) {
    char **notes = realloc(report->notes, (report->num_notes + 1) * sizeof *notes);
    if (!notes) return;
    report->notes = notes;
    notes[report->num_notes] = strdup(text);
    if (notes[report->num_notes]) report->num_notes++;
}

void note(struct report *report, const char *format, ...) {
    if (report->num_notes >= NOTES_KEPT) {
        report->more_notes++;
        return;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    one_line(text);
    keep(report, text);
}

void report_close(struct report *report) {
    char text[64];
    if (!report->more_notes) return;
    snprintf(text, sizeof text, "... and %zu more", report->more_notes);
    report->more_notes = 0;
    keep(report, text);
}
