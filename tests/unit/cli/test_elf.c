/* Programs are judged by their files: hand-made ELF headers, scripts, and what lies on this machine. */
#include "scratch.h"

#include "launch/elf.h"

#include <elf.h>

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr part;
    char interpreter[64];
};

#ifdef __aarch64__
enum { MACHINE = EM_AARCH64, OTHER = EM_X86_64 };
#else
enum { MACHINE = EM_X86_64, OTHER = EM_AARCH64 };
#endif

static struct image image(const char *interpreter) {
    struct image image = {.header = {.e_type = ET_DYN,
                                     .e_machine = MACHINE,
                                     .e_phoff = offsetof(struct image, part),
                                     .e_phentsize = sizeof(Elf64_Phdr),
                                     .e_phnum = 1}};
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.part.p_type = interpreter ? PT_INTERP : PT_LOAD;
    image.part.p_offset = offsetof(struct image, interpreter);
    if (interpreter) {
        image.part.p_filesz = strlen(interpreter) + 1;
        strcpy(image.interpreter, interpreter);
    }
    return image;
}

static void expect(const char *path, enum entry entry, const char *cause) {
    struct verdict verdict = entry_judge(path);
    if (verdict.entry != entry) fail_msg("%s: judged %d, not %d", path, verdict.entry, entry);
    if (cause)
        assert_non_null(strstr(verdict.cause, cause));
    else
        assert_null(verdict.cause);
    verdict_free(&verdict);
}

static void kinds(void **state) {
    (void)state;
    struct image dynamic = image("/lib64/ld-linux-x86-64.so.2"), fixed = image(NULL), other = image("/lib/ld.so");
    struct image musl = image("/lib/ld-musl-x86_64.so.1"), small = image("/lib/ld-linux.so.2");
    other.header.e_machine = OTHER;
    small.header.e_ident[EI_CLASS] = ELFCLASS32;
    put_file("dynamic", &dynamic, sizeof dynamic, 0755);
    put_file("static", &fixed, sizeof fixed, 0755);
    put_file("other", &other, sizeof other, 0755);
    put_file("musl", &musl, sizeof musl, 0755);
    put_file("small", &small, sizeof small, 0755);
    put_file("ld-new.so", &fixed, sizeof fixed, 0755);
    expect("dynamic", ENTRY_OPEN, NULL);
    expect("static", ENTRY_STATIC, "statically linked");
    expect("other", ENTRY_FOREIGN, "another processor");
    expect("musl", ENTRY_MUSL, "musl");
    expect("small", ENTRY_FOREIGN, "32-bit");
    expect("ld-new.so", ENTRY_OPEN, NULL); /* a dynamic linker preloads into what it starts */
    expect("/bin/sh", ENTRY_OPEN, NULL);
    assert_true(entry_must_not_preload(ENTRY_MUSL));
    assert_true(entry_must_not_preload(ENTRY_FOREIGN));
    assert_false(entry_must_not_preload(ENTRY_STATIC)); /* what it starts may be entered */
    assert_false(entry_must_not_preload(ENTRY_SETUID));
}

static void scripts(void **state) {
    (void)state;
    char text[200];
    int length = snprintf(text, sizeof text, "#! %s/static -x\n", scratch);
    put_file("script", text, (size_t)length, 0755);
    length = snprintf(text, sizeof text, "#!%s/script\n", scratch);
    put_file("nested", text, (size_t)length, 0755);
    put_file("env", "#!/usr/bin/env -S A=1 static\n", 29, 0755);
    put_file("loop", "#!loop\n", 7, 0755);
    put_file("empty", "", 0, 0755);
    put_file("text", "echo\n", 5, 0755);
    setenv("PATH", scratch, 1);
    expect("script", ENTRY_STATIC, "statically");
    expect("nested", ENTRY_STATIC, "statically");
    expect("env", ENTRY_STATIC, "statically");
    expect("loop", ENTRY_UNKNOWN, NULL);
    expect("empty", ENTRY_UNKNOWN, NULL);
    expect("text", ENTRY_UNKNOWN, NULL);
    expect("missing", ENTRY_UNKNOWN, NULL);
    expect(".", ENTRY_UNKNOWN, NULL);
}

static void hostile(void **state) {
    (void)state;
    struct image bad = image("/lib/ld.so");
    put_file("short", &bad, 20, 0755);
    bad.header.e_phoff = UINT64_MAX - 8;
    put_file("offset", &bad, sizeof bad, 0755);
    bad = image("/lib/ld.so");
    bad.part.p_offset = UINT64_MAX;
    bad.part.p_filesz = UINT64_MAX;
    put_file("interpreter", &bad, sizeof bad, 0755);
    bad = image(NULL);
    bad.header.e_phnum = 0xffff;
    bad.header.e_phentsize = 0;
    put_file("many", &bad, sizeof bad, 0755);
    expect("short", ENTRY_UNKNOWN, NULL);
    expect("offset", ENTRY_UNKNOWN, NULL);
    expect("interpreter", ENTRY_UNKNOWN, NULL);
    struct verdict verdict = entry_judge("many"); /* no crash, no long loop */
    verdict_free(&verdict);
}

static void words(void **state) {
    (void)state;
    assert_int_equal(chmod("dynamic", 04755), 0);
    char *direct[] = {"env", "-i", "./static", NULL}, *privileged[] = {"setpriv", "--reuid", "1", "./dynamic", NULL},
         *nothing[] = {"./static", "x", "text", NULL};
    struct verdict verdict = entry_judge_words(direct);
    assert_int_equal(verdict.entry, ENTRY_STATIC);
    assert_string_equal(verdict.path, "./static");
    verdict_free(&verdict);
    verdict = entry_judge_words(privileged);
    assert_int_equal(verdict.entry, ENTRY_SETUID);
    assert_string_equal(verdict.cause, "is set-user-ID");
    verdict_free(&verdict);
    verdict = entry_judge_words(nothing); /* argv[0] is not asked about */
    assert_int_equal(verdict.entry, ENTRY_UNKNOWN);
    assert_null(verdict.cause);
    verdict_free(&verdict);
    expect("dynamic", ENTRY_OPEN, NULL); /* it belongs to us: it gains nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(scripts), cmocka_unit_test(hostile),
                                       cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
