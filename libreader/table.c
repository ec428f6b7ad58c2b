/* Groups of parallel datasets, read into arrays of records. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

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

/* Records [first, first + count) of a table. */
struct part {
    const struct rd_table *table;
    uint64_t first;
    size_t count;
    char *records;
    spr_error *error;
};

static int read_numbers(const struct part *part, const struct rd_field *field, const struct rd_column *column) {
    const struct rd_table *table = part->table;
    int64_t *values = malloc(part->count * sizeof *values);
    if (!values) return rd_no_memory(table->profile, part->error);
    int status =
        rd_column_read(table->profile, column, H5T_NATIVE_INT64, part->first, part->count, values, part->error);
    for (size_t i = 0; status == SPR_OK && i < part->count; i++) {
        if (values[i] < field->least || values[i] > field->most)
            status = rd_fail(part->error, SPR_DAMAGED, table->profile->path, "%s/%s[%llu] is out of range: %lld",
                             table->where, field->name, (unsigned long long)(part->first + i), (long long)values[i]);
        store_number(field, part->records + i * table->size, values[i]);
    }
    free(values);
    return status;
}

static int read_strings(const struct part *part, const struct rd_field *field, const struct rd_column *column) {
    const struct rd_table *table = part->table;
    const char **values = malloc(part->count * sizeof *values);
    if (!values) return rd_no_memory(table->profile, part->error);
    const int status = rd_column_read_text(table->profile, column, values, part->error);
    for (size_t i = 0; status == SPR_OK && i < part->count; i++)
        *(const char **)(void *)(part->records + i * table->size + field->offset) = values[i];
    free(values);
    return status;
}

static int read_field(const struct part *part, const struct rd_field *field, const struct rd_column *column) {
    if (!part->count) return SPR_OK;
    if (column->id < 0) {
        for (size_t i = 0; i < part->count; i++)
            store_number(field, part->records + i * part->table->size, field->absent);
        return SPR_OK;
    }
    return field->kind == RD_STRING ? read_strings(part, field, column) : read_numbers(part, field, column);
}

/* The first field's column sets the number of records, the others must agree. */
static int check_length(struct rd_table *table, size_t at, bool ragged, spr_error *error) {
    const struct rd_field *field = &table->fields[at];
    struct rd_column *column = &table->columns[at];
    if (column->id >= 0 && column->length == 0 && ragged && field->optional) rd_column_close(column);
    if (column->id < 0)
        return field->optional ? SPR_OK
                               : rd_fail(error, SPR_DAMAGED, table->profile->path, "dataset %s/%s is missing",
                                         table->where, field->name);
    if (at == 0) table->count = column->length;
    if (column->length != table->count)
        return rd_fail(error, SPR_DAMAGED, table->profile->path, "dataset %s/%s has %llu rows instead of %llu",
                       table->where, field->name, (unsigned long long)column->length, (unsigned long long)table->count);
    return SPR_OK;
}

int rd_table_open(struct rd_table *table, hid_t group, bool ragged, spr_error *error) {
    int status = SPR_OK;
    for (size_t i = 0; i < table->num_fields; i++) table->columns[i] = RD_NO_COLUMN;
    for (size_t i = 0; status == SPR_OK && i < table->num_fields; i++) {
        const struct rd_field *field = &table->fields[i];
        status = rd_column_open(table->profile, group, table->where, field->name,
                                field->kind == RD_STRING ? RD_TEXT : RD_INTEGERS, &table->columns[i], error);
        if (status == SPR_OK) status = check_length(table, i, ragged, error);
        if (status == SPR_OK && table->columns[i].data) rd_data_in_order(table->columns[i].data);
    }
    if (status != SPR_OK) rd_table_close(table);
    return status;
}

void rd_table_close(struct rd_table *table) {
    for (size_t i = 0; i < table->num_fields; i++) rd_column_close(&table->columns[i]);
}

int rd_table_records(const struct rd_table *table, uint64_t first, size_t count, void *records, spr_error *error) {
    const struct part part = {table, first, count, records, error};
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < table->num_fields; i++)
        status = read_field(&part, &table->fields[i], &table->columns[i]);
    return status;
}

int rd_table_read(spr_profile *profile, hid_t group, const char *where, const struct rd_field *fields,
                  size_t num_fields, size_t size, bool ragged, void **records, size_t *count, spr_error *error) {
    struct rd_table table = {
        .profile = profile, .where = where, .fields = fields, .num_fields = num_fields, .size = size};
    int status = rd_table_open(&table, group, ragged, error);
    if (status != SPR_OK) return status;
    *records = calloc(table.count ? (size_t)table.count : 1, size);
    *count = (size_t)table.count;
    status = *records ? rd_table_records(&table, 0, *count, *records, error) : rd_no_memory(profile, error);
    rd_table_close(&table);
    if (status == SPR_OK) return SPR_OK;
    free(*records);
    *records = NULL;
    return status;
}
