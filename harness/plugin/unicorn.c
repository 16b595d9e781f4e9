/* The second counter: calls the functions of a static ARM program in Unicorn, the emulator as a
 * library, and counts as the plugin does.
 *
 *   unicorn LIBUNICORN core=NAME snapshot=0xLO-0xHI runtime=0xLO-0xHI... entry=0xAT... out=FILE \
 *           PROGRAM [call CALLS [COUNT]]
 *
 * Memory is made as Linux would make it, but neither the C library's start nor main runs: operands of
 * a line of CALLS (driver.c has its form) are put into memory, a function is called, its result is
 * printed as the driver prints it.  Without CALLS each entry is called once: the self-test.
 *
 * LIBUNICORN is loaded when all is compiled, so nothing of Unicorn is needed to compile it. */
#define _POSIX_C_SOURCE 200809L

#include "tally.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of unicorn.h and arm.h, the same since version 2.0, but for sizes: from version 2.1.4 on they have
 * 64 bits on every computer. */
enum { ARCH_ARM = 1, WRITE_CPU_MODEL = 7 | 1 << 26 | 1 << 30 };
enum { HOOK_CODE = 1 << 2, HOOK_MEMORY = 1 << 10 | 1 << 11 };
enum { FPEXC = 4, LR = 10, PC = 11, SP = 12, R0 = 66 };
enum { READ = 1, WRITE = 2, EXECUTE = 4 };

#define PAGE 4096u
#define TRAP 0x60000000u  /* where a call returns to */
#define STACK 0x70000000u /* operands at the beginning, frames from the middle down */
#define FRAME (1u << 16)
#define SCRATCH 0x8000u /* where every register points during a trial; the instruction: */
#define TRIED 0x40000u
#define YIELD 0xe320f001u /* Unicorn stops at it; it is of one class with a nop */
#define NOP 0xe320f000u
#define IRELATIVE 160 /* a relocation: the word's value is what the function it points to returns */
#define WORDS 7       /* of a call */

typedef void (*hook)(void);

static struct {
    int (*open)(int arch, int mode, void **engine);
    int (*close)(void *engine);
    int (*ctl)(void *engine, int control, ...);
    const char *(*strerror)(int status);
    unsigned (*version)(unsigned *major, unsigned *minor);
    int (*mem_map)(void *engine, uint64_t address, size_t size, uint32_t rights);
    int (*mem_write)(void *engine, uint64_t address, const void *bytes, size_t size);
    int (*mem_read)(void *engine, uint64_t address, void *bytes, size_t size);
    int (*reg_write)(void *engine, int reg, const void *value);
    int (*reg_read)(void *engine, int reg, void *value);
    int (*hook_add)(void *engine, size_t *handle, int kind, hook call, void *data, uint64_t first,
                    uint64_t last, ...);
    int (*emu_start)(void *engine, uint64_t from, uint64_t until, uint64_t us, size_t count);
} uc;

static struct {
    uint8_t *bytes;
    size_t size;
} file;

static const struct core {
    const char *name;
    int model;      /* its number in arm.h */
    uint32_t hwcap; /* what Linux says of it: the C library chooses its memcpy by it */
} cores[] = {{"cortex-a7", 14, 0x1fb8d7}, {"arm1176", 5, 0x80d7}, {NULL, 0, 0}};
static const struct core *core = cores;

static _Noreturn __attribute__((format(printf, 1, 2))) void stop(const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vfprintf(stderr, form, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

/* ---- The emulator ---- */

static void load_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    if (library == NULL)
        stop("Unicorn cannot be used: %s", dlerror());
#define FIND(function)                                                                             \
    if ((*(void **)&uc.function = dlsym(library, "uc_" #function)) == NULL)                        \
    stop("Unicorn cannot be used: %s", dlerror())
    FIND(open);
    FIND(close);
    FIND(ctl); /* new in version 2 */
    FIND(strerror);
    FIND(version);
    FIND(mem_map);
    FIND(mem_write);
    FIND(mem_read);
    FIND(reg_write);
    FIND(reg_read);
    FIND(hook_add);
    FIND(emu_start);
    if (sizeof(size_t) < 8 && uc.version(NULL, NULL) >= 0x02010400)
        stop("Unicorn cannot be used: a computer of 32 bits needs a version before 2.1.4");
}

static void must(int status, const char *what)
{
    if (status != 0)
        stop("Unicorn cannot %s: %s", what, uc.strerror(status));
}

static void set(void *engine, int reg, uint32_t value)
{
    must(uc.reg_write(engine, reg, &value), "set a register");
}

static uint32_t get(void *engine, int reg)
{
    uint32_t value = 0;
    must(uc.reg_read(engine, reg, &value), "get a register");
    return value;
}

/* What is missing to whole pages, too, filled with zeros. */
static void map(void *engine, uint32_t start, uint32_t size, uint32_t rights)
{
    uint32_t low = start / PAGE * PAGE;
    must(uc.mem_map(engine, low, (start - low + size + PAGE - 1) / PAGE * PAGE, rights), "map");
}

/* A core with VFP, and NEON where it has that, switched on and no memory but TRAP. */
static void *open_engine(void)
{
    void *engine = NULL;
    must(uc.open(ARCH_ARM, 0, &engine), "start");
    must(uc.ctl(engine, WRITE_CPU_MODEL, core->model), "be this core");
    set(engine, FPEXC, 1u << 30);
    map(engine, TRAP, PAGE, READ | EXECUTE);
    return engine;
}

static void add_hook(void *engine, int kind, hook call, struct tally *t)
{
    size_t handle;
    must(uc.hook_add(engine, &handle, kind, call, t, 1, 0), "call back");
}

/* A function with up to four words: what it returns.  Bit 0 of its address says Thumb. */
static uint32_t call(void *engine, uint32_t function, size_t n, const uint32_t *words)
{
    for (size_t i = 0; i < n; i++)
        set(engine, R0 + (int)i, words[i]);
    set(engine, SP, STACK + FRAME / 2);
    set(engine, LR, TRAP);
    int status = uc.emu_start(engine, function, TRAP, 0, 0);
    uint32_t at = get(engine, PC);
    if (status != 0 || at != TRAP) /* such as behind a yield */
        stop("stopped at %#x: %s", at, status != 0 ? uc.strerror(status) : "it does not go on");
    if (get(engine, SP) != STACK + FRAME / 2)
        stop("the snapshot returns with another sp");
    return get(engine, R0);
}

/* The accesses of an instruction whose condition holds, executed once among zeros, in an engine and
 * at a place of its own. */
static bool try(uint32_t opcode, uint64_t *loads, uint64_t *stores)
{
    static void *engine;
    static struct tally seen;
    static uint32_t place = TRIED;
    if (engine == NULL) {
        engine = open_engine();
        seen.current = &seen.nowhere;
        map(engine, 0, 1 << 24, READ | WRITE | EXECUTE);
        add_hook(engine, HOOK_MEMORY, (hook)accessed, &seen);
    }
    if (opcode >> 28 < 14)
        opcode = (opcode & 0x0fffffff) | 14u << 28;
    must(uc.mem_write(engine, place, &opcode, 4), "write");
    for (int i = 0; i < 13; i++)
        set(engine, R0 + i, SCRATCH);
    set(engine, SP, SCRATCH);
    set(engine, LR, SCRATCH);
    seen.nowhere.loads = seen.nowhere.stores = 0;
    int status = uc.emu_start(engine, place, TRAP, 0, 1);
    place += 8;
    *loads = seen.nowhere.loads;
    *stores = seen.nowhere.stores;
    return status == 0;
}

/* ---- The program ---- */

static void read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0)
        stop("%s cannot be read: %s", name, strerror(errno));
    file.size = (size_t)ftell(f);
    file.bytes = malloc(file.size + 1);
    rewind(f);
    if (file.bytes == NULL || fread(file.bytes, 1, file.size, f) != file.size)
        stop("%s cannot be read", name);
    file.bytes[file.size] = '\0'; /* behind the last of the names */
    fclose(f);
    static const char begin[] = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB};
    if (file.size < sizeof(Elf32_Ehdr) || memcmp(file.bytes, begin, sizeof begin) != 0)
        stop("%s is no program for 32-bit ARM, or cut short", name);
}

/* `size' bytes of the file. */
static const void *at(size_t offset, size_t size)
{
    if (offset > file.size || size > file.size - offset)
        stop("the program is cut short");
    return file.bytes + offset;
}

static const Elf32_Ehdr *header(void)
{
    return at(0, sizeof(Elf32_Ehdr));
}

static const Elf32_Shdr *section(size_t i)
{
    return at(header()->e_shoff + i * sizeof(Elf32_Shdr), sizeof(Elf32_Shdr));
}

static uint32_t address_of(const char *function)
{
    for (size_t i = 0; i < header()->e_shnum; i++) {
        const Elf32_Shdr *table = section(i);
        if (table->sh_type != SHT_SYMTAB)
            continue;
        const Elf32_Sym *symbols = at(table->sh_offset, table->sh_size);
        const Elf32_Shdr *strings = section(table->sh_link);
        const char *names = at(strings->sh_offset, strings->sh_size);
        for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++)
            if (symbols[k].st_shndx != SHN_UNDEF && symbols[k].st_name < strings->sh_size &&
                ELF32_ST_BIND(symbols[k].st_info) == STB_GLOBAL &&
                strcmp(names + symbols[k].st_name, function) == 0)
                return symbols[k].st_value;
    }
    stop("no function %s", function);
}

/* What a static program does before main to choose its memcpy for the processor. */
static void bind_late(void *engine, struct range snapshot)
{
    for (size_t i = 0; i < header()->e_shnum; i++) {
        const Elf32_Shdr *table = section(i);
        if (table->sh_type != SHT_REL || !(table->sh_flags & SHF_ALLOC))
            continue;
        const Elf32_Rel *relocations = at(table->sh_offset, table->sh_size);
        for (size_t k = 0; k < table->sh_size / sizeof *relocations; k++) {
            uint32_t function, chosen, hwcap = core->hwcap;
            if (ELF32_R_TYPE(relocations[k].r_info) != IRELATIVE)
                continue;
            must(uc.mem_read(engine, relocations[k].r_offset, &function, 4), "read");
            if (function - snapshot.start < snapshot.end - snapshot.start)
                stop("the snapshot runs outside a call");
            chosen = call(engine, function, 1, &hwcap);
            must(uc.mem_write(engine, relocations[k].r_offset, &chosen, 4), "write");
        }
    }
}

/* The program and a stack in memory; says where its code is. */
static void load_program(void *engine, struct tally *t)
{
    const Elf32_Phdr *parts = at(header()->e_phoff, header()->e_phnum * sizeof *parts);
    for (const Elf32_Phdr *p = parts; p < parts + header()->e_phnum; p++) {
        if (p->p_type != PT_LOAD)
            continue;
        uint32_t rights = (p->p_flags & PF_R ? READ : 0u) | (p->p_flags & PF_W ? WRITE : 0u) |
                          (p->p_flags & PF_X ? EXECUTE : 0u);
        map(engine, p->p_vaddr, p->p_memsz, rights);
        must(uc.mem_write(engine, p->p_vaddr, at(p->p_offset, p->p_filesz), p->p_filesz), "write");
        if (p->p_flags & PF_X) {
            t->code = (struct range){p->p_vaddr, p->p_vaddr + p->p_filesz};
            t->bytes = at(p->p_offset, p->p_filesz);
        }
    }
    map(engine, STACK, FRAME, READ | WRITE);
    bind_late(engine, t->snapshot);
}

/* ---- The calls ---- */

struct options {
    struct range snapshot;
    uint32_t *entries;
    size_t n;
    const char *out, *program, *calls;
    size_t count; /* of the calls that are made */
};

/* number := the `size' bytes of a number in hexadecimal, lowest first. */
static void parse(uint8_t *number, size_t size, const char *text)
{
    if (strlen(text) != 2 * size || strspn(text, "0123456789abcdef") != 2 * size)
        stop("no number of %zu digits: %s", 2 * size, text);
    for (size_t i = 0; i < size; i++)
        sscanf(text + 2 * (size - 1 - i), "%2hhx", &number[i]);
}

/* One call with z, x, y and the modulus side by side in memory.  z is the result of the one before,
 * and then of this one, in `line' as text. */
static void perform(void *engine, char *line, uint8_t *z)
{
    char *words[WORDS] = {strtok(line, " \n")}; /* FUNCTION KIND N RR N0INV X Y */
    for (size_t i = 1; i < WORDS; i++)
        if (words[i - 1] == NULL || (words[i] = strtok(NULL, " \n")) == NULL)
            stop("a call is cut short: FUNCTION KIND N RR N0INV X Y");
    if (strtok(NULL, " \n") != NULL)
        stop("a call has more words than FUNCTION KIND N RR N0INV X Y");
    size_t size = strlen(words[2]) / 2;
    if (size == 0 || 5 * size + 4 > FRAME / 4)
        stop("operands of %zu bytes: they have from 1 to %u", size, (FRAME / 4 - 4) / 5);
    uint8_t operands[FRAME / 4];
    memcpy(operands, z, size);
    if (strcmp(words[5], "=") != 0)
        parse(operands, size, words[5]);
    parse(operands + size, size, words[6]);
    parse(operands + 2 * size, size, words[2]);
    parse(operands + 3 * size, size, words[3]);
    parse(operands + 4 * size, 4, words[4]);
    must(uc.mem_write(engine, STACK + size, operands, 4 * size + 4), "write");
    uint32_t where[4];
    for (uint32_t i = 0; i < 4; i++)
        where[i] = STACK + i * (uint32_t)size;
    call(engine, address_of(words[0]), 4, where);
    must(uc.mem_read(engine, STACK, z, size), "read");
    for (size_t i = 0; i < size; i++)
        sprintf(line + 2 * i, "%02x", z[size - 1 - i]);
}

/* Where every call is made; `said' gets the results. */
static void make_calls(void *engine, struct tally *t, const struct options *o, FILE *said)
{
    static char line[FRAME];
    static uint8_t z[FRAME / 4];
    FILE *calls = fopen(o->calls, "r");
    if (calls == NULL)
        stop("%s cannot be read: %s", o->calls, strerror(errno));
    for (size_t i = 0; i < o->count && fgets(line, sizeof line, calls) != NULL; i++) {
        if (strchr(line, '\n') == NULL)
            stop("call %zu is not a whole line, or too long", i + 1);
        perform(engine, line, z);
        if (!tally_end_call(t, TRAP))
            stop("out of memory");
        fprintf(said, "%s\n", line);
    }
    fclose(calls);
}

static void make_selftest(void *engine, struct tally *t, const struct options *o)
{
    for (uint32_t address = o->snapshot.start; address + 4 <= o->snapshot.end; address += 4) {
        uint32_t opcode, nop = NOP;
        must(uc.mem_read(engine, address, &opcode, 4), "read");
        if (opcode == YIELD)
            must(uc.mem_write(engine, address, &nop, 4), "write");
    }
    for (size_t i = 0; i < o->n; i++) {
        call(engine, o->entries[i], 0, NULL);
        if (!tally_end_call(t, TRAP))
            stop("out of memory");
    }
}

/* Runs all, `watched' with every access counted.  False: the counts are not all there. */
static bool run(const struct options *o, bool watched)
{
    static struct tally t;
    void *engine = open_engine();
    char *text = NULL;
    size_t size;
    FILE *said = open_memstream(&text, &size);
    if (said == NULL)
        stop("out of memory");
    t = (struct tally){.snapshot = o->snapshot};
    t.stop = stop;
    t.reg_read = uc.reg_read;
    t.try = try;
    load_program(engine, &t);
    if (o->snapshot.start < t.code.start || o->snapshot.end > t.code.end)
        stop("the snapshot is not in the code of %s", o->program);
    if (!tally_begin(&t))
        stop("out of memory");
    add_hook(engine, HOOK_CODE, (hook)executed, &t);
    if (watched)
        add_hook(engine, HOOK_MEMORY, (hook)accessed, &t);
    if (o->calls != NULL)
        make_calls(engine, &t, o, said);
    else
        make_selftest(engine, &t, o);
    uc.close(engine);
    fclose(said);
    if (t.outside && !watched)
        return false;
    fputs(text, stdout);
    const char *why = tally_write(&t, o->out);
    if (why != NULL)
        stop("%s: %s", o->out, why);
    return true;
}

static void choose_core(const char *name)
{
    core = cores;
    while (core->name != NULL && strcmp(core->name, name) != 0)
        core++;
    if (core->name == NULL)
        stop("%s: no core that is known here", name);
}

static void parse_option(struct options *o, const char *word)
{
    uint32_t entry;
    struct range place;
    if (sscanf(word, "snapshot=%x-%x", &place.start, &place.end) == 2)
        o->snapshot = place;
    else if (strncmp(word, "core=", 5) == 0)
        choose_core(word + 5);
    else if (strncmp(word, "out=", 4) == 0)
        o->out = word + 4;
    else if (sscanf(word, "entry=%x", &entry) == 1)
        o->entries[o->n++] = entry;
    else if (strncmp(word, "harness=", 8) != 0 && strncmp(word, "code=", 5) != 0) /* the plugin's */
        o->program = word;
}

int main(int argc, char **argv)
{
    struct options o = {.count = SIZE_MAX};
    o.entries = calloc((size_t)argc, sizeof *o.entries);
    if (o.entries == NULL)
        stop("out of memory");
    int i = 2;
    while (i < argc && o.program == NULL)
        parse_option(&o, argv[i++]);
    if (o.program == NULL || o.out == NULL || o.snapshot.end == 0)
        stop("usage: unicorn LIBUNICORN snapshot=0xLO-0xHI ... out=FILE PROGRAM ...");
    if (i + 1 < argc && strcmp(argv[i], "call") == 0)
        o.calls = argv[i + 1];
    if (i + 2 < argc)
        o.count = strtoul(argv[i + 2], NULL, 10);
    load_library(argv[1]);
    read_file(o.program);
    if (!run(&o, o.calls == NULL))
        run(&o, true);
    if (fflush(stdout) != 0 || ferror(stdout))
        stop("the results cannot be printed: %s", strerror(errno));
    return 0;
}
