/* Strings of fixed and of variable length, from datasets and attributes. */
#include "internal.h"

#include <string.h>

static hid_t fixed_type(hid_t like, size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5Tget_cset(like)) >= 0 &&
        H5Tset_strpad(type, H5Tget_strpad(like)) >= 0)
        return type;
    if (type >= 0) H5Tclose(type);
    return -1;
}

void rd_text_stored(hid_t type, struct rd_text *text) {
    *text = (struct rd_text){.variable = H5Tis_variable_str(type) > 0, .padding = H5Tget_strpad(type), .memory = -1};
    text->size = text->variable ? RD_REFERENCE_BYTES : H5Tget_size(type);
}

bool rd_text_begin(const spr_profile *profile, hid_t type, struct rd_text *text) {
    rd_text_stored(type, text);
    text->memory = text->variable ? rd_heap_begin(profile) : fixed_type(type, text->size);
    return text->memory >= 0;
}

void rd_text_end(const spr_profile *profile, struct rd_text *text) {
    if (text->variable)
        rd_heap_end(text->memory, profile);
    else
        H5Tclose(text->memory);
}

static const char *take_fixed(spr_profile *profile, const struct rd_text *text, const char *bytes) {
    size_t length = strnlen(bytes, text->size);
    while (text->padding == H5T_STR_SPACEPAD && length && bytes[length - 1] == ' ') length--;
    return rd_arena_copy(&profile->strings, bytes, length);
}

static const char *take_variable(spr_profile *profile, const unsigned char *bytes) {
    const struct rd_reference reference = rd_heap_decode(bytes);
    return rd_heap_text(&profile->heap, &profile->heap_file, &reference, &profile->strings, &profile->text_left);
}

bool rd_text_take(spr_profile *profile, const struct rd_text *text, const unsigned char *bytes, size_t count,
                  const char **values) {
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = bytes + i * text->size;
        values[i] = text->variable ? take_variable(profile, at) : take_fixed(profile, text, (const char *)at);
        if (!values[i]) return false;
    }
    return true;
}
