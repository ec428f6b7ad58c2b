/* Groups of parallel datasets, read into arrays of records. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct table {
    spr_profile *profile;
    const char *where;
    char *records;
    size_t size, count;
    spr_error *error;
};

static void store_number(const struct rd_field *field, char *record, int64_t value) {
    void *at = record + field->offset;
    switch (field->kind) {
    case RD_I64:
        *(int64_t *)at = value;
        break;
    case RD_U64:
        *(uint64_t *)at = (uint64_t)value;
        break;
    case RD_U32:
        *(uint32_t *)at = (uint32_t)value;
        break;
    case RD_INT:
        *(int *)at = (int)value;
        break;
    case RD_BOOL:
        *(bool *)at = value != 0;
        break;
    case RD_STRING:
        *(const char **)at = "";
        break;
    }
}

static int read_numbers(struct table *table, const struct rd_field *field, const struct rd_column *column) {
    int64_t *values = malloc(table->count * sizeof *values);
    if (!values) return rd_no_memory(table->profile, table->error);
    int status = rd_column_read(table->profile, column, H5T_NATIVE_INT64, 0, column->length, values, table->error);
    for (size_t i = 0; status == SPR_OK && i < table->count; i++) {
        if (values[i] < field->least || values[i] > field->most)
            status = rd_fail(table->error, SPR_DAMAGED, table->profile->path, "%s/%s[%zu] is out of range: %lld",
                             table->where, field->name, i, (long long)values[i]);
        store_number(field, table->records + i * table->size, values[i]);
    }
    free(values);
    return status;
}

static int read_strings(struct table *table, const struct rd_field *field, const struct rd_column *column) {
    const char **values = malloc(table->count * sizeof *values);
    if (!values) return rd_no_memory(table->profile, table->error);
    const int status = rd_column_read_text(table->profile, column, values, table->error);
    for (size_t i = 0; status == SPR_OK && i < table->count; i++)
        *(const char **)(void *)(table->records + i * table->size + field->offset) = values[i];
    free(values);
    return status;
}

static int read_field(struct table *table, const struct rd_field *field, const struct rd_column *column) {
    if (!table->count) return SPR_OK;
    if (column->id < 0) {
        for (size_t i = 0; i < table->count; i++) store_number(field, table->records + i * table->size, field->absent);
        return SPR_OK;
    }
    return field->kind == RD_STRING ? read_strings(table, field, column) : read_numbers(table, field, column);
}

/* The first field's column sets the number of records, the others must agree. */
static int check_length(struct table *table, const struct rd_field *field, bool first, bool ragged,
                        struct rd_column *column) {
    if (column->id >= 0 && column->length == 0 && ragged && field->optional) rd_column_close(column);
    if (column->id < 0)
        return field->optional ? SPR_OK
                               : rd_fail(table->error, SPR_DAMAGED, table->profile->path, "dataset %s/%s is missing",
                                         table->where, field->name);
    if (first) {
        table->count = column->length;
        table->records = calloc(table->count ? table->count : 1, table->size);
        return table->records ? SPR_OK : rd_no_memory(table->profile, table->error);
    }
    if (column->length != table->count)
        return rd_fail(table->error, SPR_DAMAGED, table->profile->path, "dataset %s/%s has %llu rows instead of %zu",
                       table->where, field->name, (unsigned long long)column->length, table->count);
    return SPR_OK;
}

int rd_table_read(spr_profile *profile, hid_t group, const char *where, const struct rd_field *fields,
                  size_t num_fields, size_t size, bool ragged, void **records, size_t *count, spr_error *error) {
    struct table table = {.profile = profile, .where = where, .size = size, .error = error};
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < num_fields; i++) {
        struct rd_column column;
        status = rd_column_open(profile, group, where, fields[i].name,
                                fields[i].kind == RD_STRING ? RD_TEXT : RD_INTEGERS, &column, error);
        if (status == SPR_OK) status = check_length(&table, &fields[i], i == 0, ragged, &column);
        if (status == SPR_OK) status = read_field(&table, &fields[i], &column);
        rd_column_close(&column);
    }
    if (status != SPR_OK) {
        free(table.records);
        return status;
    }
    *records = table.records;
    *count = table.count;
    return SPR_OK;
}
