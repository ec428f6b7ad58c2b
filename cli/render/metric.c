#include "metric.h"

#include "base/memory.h"
#include "base/path.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct metric_look looks[METRICS] = {
    [SPR_BY_TOTAL] = {"total", "total [s]", "seconds", true},
    [SPR_BY_AVERAGE] = {"avg", "avg [s]", "seconds", true},
    [SPR_BY_MINIMUM] = {"min", "min [s]", "seconds", true},
    [SPR_BY_MAXIMUM] = {"max", "max [s]", "seconds", true},
    [SPR_BY_P50] = {"p50", "p50 [s]", "seconds", true},
    [SPR_BY_P95] = {"p95", "p95 [s]", "seconds", true},
    [SPR_BY_P99] = {"p99", "p99 [s]", "seconds", true},
    [SPR_BY_IMBALANCE] = {"imbalance", "imbalance [%]", "percent", false},
    [SPR_BY_CALLS] = {"calls", "calls", "calls", false},
};

const struct metric_look *metric_look(enum spr_metric metric) { return &looks[metric]; }

char *metric_value(enum spr_metric metric, double value) {
    if (!isfinite(value)) return xcopy("-");
    return metric == SPR_BY_CALLS ? xformat("%.0f", value) : xformat("%.6g", value + 0.0);
}

char *metric_delta(double value) { return isfinite(value) ? xformat("%+.6g", value + 0.0) : xcopy("-"); }

char *metric_percent(double value) { return isfinite(value) ? xformat("%+.4g%%", value + 0.0) : xcopy("-"); }

char *metric_scaled(double seconds) {
    if (!isfinite(seconds)) return xcopy("-");
    if (seconds >= 0.99995) return xformat("%.2f s", seconds);
    if (seconds >= 0.99995e-3) return xformat("%.1f ms", seconds * 1e3);
    if (seconds >= 0.99995e-6) return xformat("%.1f us", seconds * 1e6);
    return xformat("%.0f ns", seconds * 1e9);
}

char *metric_signed(double fraction) {
    return isfinite(fraction) ? xformat("%+.1f %%", 100 * fraction + 0.0) : xcopy("-");
}

char *metric_title(const spr_profile *profile) {
    const spr_value *label = spr_metadata(profile, "label");
    const uint32_t ranks = spr_num_ranks(profile);
    const bool labelled = label && label->kind == SPR_TEXT && *label->text;
    char *absolute = path_absolute(spr_path(profile));
    char *relative = path_relative(absolute ? absolute : spr_path(profile)), *path = text_shown(relative);
    char *name = labelled ? text_shown(label->text) : xcopy("");
    char *title =
        xformat("%s%s%s (%" PRIu32 " rank%s)", name, labelled ? " - " : "", path, ranks, ranks == 1 ? "" : "s");
    free(name);
    free(path);
    free(relative);
    free(absolute);
    return title;
}
