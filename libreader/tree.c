/* The call tree: one node per call path, pooled over calls, lanes and ranks. */
#include "feed.h"
#include "quantile.h"
#include "walk.h"

#include <stdlib.h>

#define MOST_NODES (1u << 22)
#define NO_NODE    UINT32_MAX
/* For the percentiles of all nodes together. */
#define BUDGET ((int64_t)160 << 20)

struct node {
    uint32_t parent; /* NO_NODE: a root */
    uint32_t depth;
    size_t region;
    bool recursive;
    uint32_t rank;          /* that `tally` is about */
    struct rd_tally tally;  /* the calls of the rank that is being read */
    int64_t own, outermost; /* ns, of all ranks */
    int64_t earliest;       /* start */
    struct rd_pool pool;    /* the ranks before */
    struct rd_quantile quantile;
};

struct place { /* in the hash table of paths */
    uint32_t parent, node;
    size_t region;
};

struct tree {
    spr_profile *profile;
    const spr_selection *selection;
    bool *shown; /* by region: selected */
    bool full;
    bool again; /* the nodes are known: calls are read once more for percentiles */
    struct rd_budget budget;
    struct node *nodes;
    uint32_t count, room;
    struct place *places; /* node == NO_NODE: free */
    size_t size;
};

/* ---- paths ------------------------------------------------------------------------------------------------------ */

static struct place *find_place(struct place *places, size_t size, uint32_t parent, size_t region) {
    const uint64_t mixed = ((uint64_t)region << 32 ^ region >> 32 ^ parent) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(mixed >> 24) & (size - 1);
    while (places[at].node != NO_NODE && (places[at].parent != parent || places[at].region != region))
        at = (at + 1) & (size - 1);
    return &places[at];
}

static bool grow_places(struct tree *tree) {
    const size_t size = tree->size ? tree->size * 2 : 256;
    struct place *places = malloc(size * sizeof *places);
    if (!places) return false;
    for (size_t i = 0; i < size; i++) places[i].node = NO_NODE;
    for (size_t i = 0; i < tree->size; i++) {
        const struct place *from = &tree->places[i];
        if (from->node != NO_NODE) *find_place(places, size, from->parent, from->region) = *from;
    }
    free(tree->places);
    tree->places = places;
    tree->size = size;
    return true;
}

static bool make_room(struct tree *tree) {
    if (tree->count < tree->room) return true;
    const uint32_t room = tree->room ? tree->room * 2 : 64;
    struct node *grown = realloc(tree->nodes, room * sizeof *grown);
    if (!grown) return false;
    tree->nodes = grown;
    tree->room = room;
    return true;
}

/* The node of that path; NO_NODE when there is no memory, or there are too many. */
static uint32_t find_node(struct tree *tree, uint32_t parent, size_t region, uint32_t rank) {
    if ((size_t)tree->count * 2 >= tree->size && !grow_places(tree)) return NO_NODE;
    struct place *place = find_place(tree->places, tree->size, parent, region);
    if (place->node != NO_NODE) return place->node;
    if (tree->count >= MOST_NODES || !make_room(tree)) return NO_NODE;
    *place = (struct place){.parent = parent, .node = tree->count, .region = region};
    tree->nodes[tree->count] = (struct node){.parent = parent,
                                             .depth = parent == NO_NODE ? 0 : tree->nodes[parent].depth + 1,
                                             .region = region,
                                             .rank = rank,
                                             .earliest = INT64_MAX};
    return tree->count++;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* The calls of a rank are together: the next rank's begin a new tally. */
static void close_rank(struct node *node) {
    if (node->tally.calls && node->tally.start_minimum < node->earliest) node->earliest = node->tally.start_minimum;
    rd_pool_add(&node->pool, &node->tally, 0);
    node->tally = (struct rd_tally){0};
}

static int add_call(struct tree *tree, struct node *node, const struct rd_call *call, uint32_t rank, bool outermost,
                    spr_error *error) {
    const int64_t duration = call->end - call->start;
    if (tree->full && !rd_quantile_add(&node->quantile, &tree->budget, duration))
        return rd_no_memory(tree->profile, error);
    if (tree->again) return SPR_OK;
    if (node->rank != rank) {
        close_rank(node);
        node->rank = rank;
    }
    if (!rd_tally_add(&node->tally, call->start, call->end) ||
        __builtin_add_overflow(node->own, duration, &node->own) ||
        (outermost && __builtin_add_overflow(node->outermost, duration, &node->outermost)))
        return rd_fail(error, SPR_DAMAGED, tree->profile->path, "the durations of region '%s' add up beyond 64 bits",
                       tree->profile->names[node->region]);
    return SPR_OK;
}

/* Of the call around it, a call takes only what lies within: recorded parents may end before their children. */
static void take_from(struct tree *tree, const struct rd_call *around, const struct rd_call *call) {
    const int64_t end = call->end < around->end ? call->end : around->end;
    if (!around->hidden && end > call->start) tree->nodes[around->node].own -= end - call->start;
}

/* A call that is not shown passes on the node of the call around it, so that its children hang there. */
static int enter(void *context, struct rd_call *call, const struct rd_call *around, spr_error *error) {
    struct tree *tree = context;
    const spr_row *row = &tree->profile->rows[call->row];
    const uint32_t parent = around ? around->node : NO_NODE;
    if (around && !tree->again) take_from(tree, around, call);
    call->hidden = !tree->shown[row->region];
    call->node = parent;
    if (call->hidden) return SPR_OK;

    const bool again = parent != NO_NODE && tree->nodes[parent].region == row->region;
    if (again)
        tree->nodes[parent].recursive = true;
    else
        call->node = find_node(tree, parent, row->region, row->rank);
    if (call->node == NO_NODE)
        return rd_fail(error, SPR_NO_MEMORY, tree->profile->path, "not enough memory for the call tree: %u call paths",
                       tree->count);
    return add_call(tree, &tree->nodes[call->node], call, row->rank, !again, error);
}

static int add_ranks(struct tree *tree, spr_error *error) {
    const spr_profile *profile = tree->profile;
    const struct rd_visitor visitor = {enter, tree};
    int status = SPR_OK;
    size_t first = 0;
    while (status == SPR_OK && first < profile->num_rows) {
        const size_t count = rd_rank_rows(profile, first);
        if (spr_selects_rank(tree->selection, profile->rows[profile->by_rank[first]].rank))
            status = rd_walk_rank(tree->profile, profile->by_rank + first, count, &visitor, error);
        first += count;
    }
    for (uint32_t i = 0; i < tree->count && !tree->again; i++) close_rank(&tree->nodes[i]);
    return status;
}

/* Ends a round of reading; *again: the percentiles of some nodes need another one. */
static bool end_round(struct tree *tree, bool *again) {
    *again = false;
    for (uint32_t i = 0; i < tree->count; i++) {
        struct node *node = &tree->nodes[i];
        bool more;
        if (!rd_quantile_end(&node->quantile, &tree->budget, node->pool.calls, &more)) return false;
        *again |= more;
    }
    for (uint32_t i = 0; *again && i < tree->count; i++)
        if (!rd_quantile_begin(&tree->nodes[i].quantile, &tree->budget)) return false;
    return true;
}

static int find_percentiles(struct tree *tree, spr_error *error) {
    for (;;) {
        bool again;
        if (!end_round(tree, &again)) return rd_no_memory(tree->profile, error);
        if (!again) return SPR_OK;
        tree->again = true;
        const int status = add_ranks(tree, error);
        if (status == RD_AGAIN) return rd_fail(error, SPR_DAMAGED, tree->profile->path, "changed while it was read");
        if (status != SPR_OK) return status;
    }
}

static void forget_nodes(struct tree *tree) {
    for (uint32_t i = 0; i < tree->count; i++) rd_quantile_free(&tree->nodes[i].quantile, &tree->budget);
    tree->budget.left = BUDGET;
    free(tree->nodes);
    free(tree->places);
    tree->nodes = NULL;
    tree->places = NULL;
    tree->count = tree->room = 0;
    tree->size = 0;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

struct order {
    int64_t earliest;
    uint32_t node, parent;
    size_t region;
};

/* Children of one parent together, by earliest start, equal ones by region. */
static int compare_siblings(const void *a, const void *b) {
    const struct order *x = a, *y = b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->earliest != y->earliest) return x->earliest < y->earliest ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static void put_node(const struct tree *tree, struct node *from, bool has_children, spr_node *to) {
    *to = (spr_node){.region = from->region,
                     .depth = from->depth,
                     .recursive = from->recursive,
                     .has_children = has_children,
                     .outermost = (double)from->outermost / 1e9};
    from->pool.exclusive = (double)from->own;
    rd_pool_stats(&from->pool, tree->full ? from->quantile.values : NULL, &to->stats);
    to->coverage = to->stats.coverage;
}

/* `first_child`: by node, where its children begin in `order`; the roots' is at [count]. Depth first, without
 * recursion: next[depth] is the next sibling at that depth. */
static void put_in_order(const struct tree *tree, const struct order *order, const uint32_t *first_child,
                         uint32_t *next, spr_tree *result) {
    uint32_t depth = 0;
    next[0] = first_child[tree->count];
    for (;;) {
        const uint32_t at = next[depth];
        const uint32_t parent = depth ? order[next[depth - 1] - 1].node : NO_NODE;
        if (at == tree->count || order[at].parent != parent) {
            if (depth-- == 0) return;
            continue;
        }
        next[depth]++;
        const uint32_t node = order[at].node, child = first_child[node];
        put_node(tree, &tree->nodes[node], child != NO_NODE, &result->nodes[result->count++]);
        if (child != NO_NODE) next[++depth] = child;
    }
}

static int put_nodes(struct tree *tree, spr_tree *result, spr_error *error) {
    const size_t count = tree->count;
    if (!count) return SPR_OK;
    struct order *order = malloc(count * sizeof *order);
    uint32_t *first_child = malloc((count + 1) * sizeof *first_child), *next = malloc((count + 1) * sizeof *next);
    result->nodes = malloc(count * sizeof *result->nodes);
    int status = SPR_OK;
    if (!order || !first_child || !next || !result->nodes) {
        status = rd_no_memory(tree->profile, error);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            const struct node *node = &tree->nodes[i];
            order[i] = (struct order){node->earliest, i, node->parent, node->region};
        }
        qsort(order, count, sizeof *order, compare_siblings);
        for (size_t i = 0; i <= count; i++) first_child[i] = NO_NODE;
        for (size_t i = count; i-- > 0;)
            first_child[order[i].parent == NO_NODE ? count : order[i].parent] = (uint32_t)i;
        put_in_order(tree, order, first_child, next, result);
    }
    free(order);
    free(first_child);
    free(next);
    return status;
}

static int build(struct tree *tree, spr_tree *result, spr_error *error) {
    spr_profile *profile = tree->profile;
    tree->shown = calloc(profile->num_regions ? profile->num_regions : 1, sizeof *tree->shown);
    if (!tree->shown) return rd_no_memory(profile, error);
    for (size_t i = 0; i < profile->num_regions; i++) tree->shown[i] = spr_selects_region(tree->selection, i);
    int status;
    do {
        forget_nodes(tree);
        status = add_ranks(tree, error);
    } while (status == RD_AGAIN);
    if (status == SPR_OK && tree->full) status = find_percentiles(tree, error);
    if (status == SPR_OK) status = put_nodes(tree, result, error);
    forget_nodes(tree);
    free(tree->shown);
    return status;
}

int spr_tree_build(spr_profile *profile, const spr_selection *selection, enum spr_depth depth, spr_tree *tree,
                   spr_error *error) {
    *tree = (spr_tree){0};
    if (profile->aggregate)
        return rd_fail(error, SPR_NO_EVENTS, profile->path,
                       "recorded in aggregation mode: there are no single calls, so no call tree");
    struct tree building = {.profile = profile, .selection = selection, .full = depth == SPR_FULL};
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    const int status = build(&building, tree, error);
    rd_quiet_end(&quiet);
    if (status != SPR_OK) spr_tree_free(tree);
    return status;
}

void spr_tree_free(spr_tree *tree) {
    free(tree->nodes);
    *tree = (spr_tree){0};
}
