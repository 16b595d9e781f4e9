/* What Unicorn calls while it executes one call of a snapshot's function: a hash of the trace, which
 * is the list of (instruction's address, addresses of its accesses), and a watch over memory.
 *
 * An access is astray if it is outside the ranges allowed, or if it is in the frame below the stack
 * pointer: there, a signal's handler may write.  An instruction such as push moves the stack pointer
 * and stores in one step, so an access counts as below only if it is so before and after it.
 *
 * Instructions may be left out of the trace, such as those of a function that may do what it likes;
 * they are watched all the same.
 *
 * A call is a jump that leaves the address behind it in lr: there sp has to be a multiple of 8. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOOK_CODE (1 << 2)
#define HOOK_MEMORY (1 << 10 | 1 << 11)

#define UC_ARM_REG_LR 10
#define UC_ARM_REG_SP 12
#define UC_MEM_WRITE 17
#define RANGES 8

enum { READ = 1, WRITE = 2 };

struct range {
    uint32_t start, end, may;
};

struct trace {
    uint64_t hash, instructions, accesses, astray;
    uint32_t astray_at, astray_to; /* the first: the instruction's address, and the access's */
    uint32_t frame, top;           /* the frame: from the lowest address allowed to sp on entry */
    uint32_t here, sp, lowest; /* this instruction, sp before it, its lowest access to the frame */
    uint32_t misaligned;       /* the first call with sp no multiple of 8; or 0 */
    struct range allowed[RANGES];
    const uint8_t *left_out; /* of `words' words of code from `code' on, whether each is; or NULL */
    uint32_t code, words;
};

static int (*reg_read)(void *engine, int reg, void *value);

int trace_attach(void *engine, struct trace *trace);
void trace_begin(struct trace *trace, uint32_t frame, uint32_t top);
void trace_end(void *engine, struct trace *trace, uint32_t trap);
void trace_executed(void *engine, uint64_t address, uint32_t size, void *trace);
void trace_accessed(void *engine, int type, uint64_t address, int size, int64_t value, void *trace);

/* Every step is a bijection of the hash, so two traces stay apart once they differ unless a later
 * difference undoes it: one chance in 2^64. */
static void add(struct trace *t, uint64_t word)
{
    t->hash = (t->hash ^ word) * 0x9e3779b97f4a7c15;
    t->hash ^= t->hash >> 29;
}

static void add_unless_left_out(struct trace *t, uint64_t word)
{
    uint32_t i = (t->here - t->code) / 4;
    if (t->left_out == NULL || i >= t->words || !t->left_out[i])
        add(t, word);
}

static void stray(struct trace *t, uint32_t to)
{
    if (t->astray++ == 0) {
        t->astray_at = t->here;
        t->astray_to = to;
    }
}

void trace_executed(void *engine, uint64_t address, uint32_t size, void *trace)
{
    struct trace *t = trace;
    uint32_t sp = 0;
    (void)size;
    reg_read(engine, UC_ARM_REG_SP, &sp);
    if (t->lowest < t->sp && t->lowest < sp)
        stray(t, t->lowest);
    if (address != t->here + 4 && t->misaligned == 0) {
        uint32_t lr = 0;
        reg_read(engine, UC_ARM_REG_LR, &lr);
        t->misaligned = lr == t->here + 4 && sp % 8 != 0 ? t->here : 0;
    }
    t->here = (uint32_t)address;
    t->sp = sp;
    t->lowest = t->top;
    t->instructions++;
    add_unless_left_out(t, address << 1);
}

void trace_accessed(void *engine, int type, uint64_t address, int size, int64_t value, void *trace)
{
    struct trace *t = trace;
    uint32_t to = (uint32_t)address, end = to + (uint32_t)size;
    uint32_t needs = type == UC_MEM_WRITE ? WRITE : READ;
    (void)engine, (void)value;
    t->accesses++;
    add_unless_left_out(t, address << 1 | 1);
    if (to >= t->frame && end <= t->top) {
        t->lowest = to < t->lowest ? to : t->lowest;
        return;
    }
    for (int i = 0; i < RANGES; i++)
        if (to >= t->allowed[i].start && end <= t->allowed[i].end && (t->allowed[i].may & needs))
            return;
    stray(t, to);
}

/* Forgets what was traced, and what was allowed. */
void trace_begin(struct trace *t, uint32_t frame, uint32_t top)
{
    memset(t, 0, sizeof *t);
    t->frame = frame;
    t->top = t->sp = t->lowest = top;
}

/* A call has come back to `trap', which is no instruction of it. */
void trace_end(void *engine, struct trace *t, uint32_t trap)
{
    trace_executed(engine, trap, 4, t);
    t->instructions--;
}

/* Has an engine of the Unicorn that is loaded already trace what it executes.  0 if all went well. */
int trace_attach(void *engine, struct trace *t)
{
    void *unicorn = dlopen("libunicorn.so.2", RTLD_NOW | RTLD_NOLOAD);
    int (*hook_add)(void *, size_t *, int, void (*)(void), void *, uint64_t, uint64_t, ...);
    size_t handle;
    if (unicorn == NULL)
        return -1;
    *(void **)&hook_add = dlsym(unicorn, "uc_hook_add");
    *(void **)&reg_read = dlsym(unicorn, "uc_reg_read");
    return hook_add(engine, &handle, HOOK_CODE, (void (*)(void))trace_executed, t, 1, 0) |
           hook_add(engine, &handle, HOOK_MEMORY, (void (*)(void))trace_accessed, t, 1, 0);
}
