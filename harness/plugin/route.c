/* The harness calls the C library while it reads, and again when it leaves; the results are out
 * then. */
#include "route.h"
#include "a32.h"

enum { EXIT = 1, WRITE = 4, BRK = 45, MUNMAP = 91, EXIT_GROUP = 248 }; /* Linux's numbers */
enum { STORE_LR = 0x052de008, LOAD_PC = 0x049df008 };
#define BLX_REGISTER 0xe12fff30

struct step route_step(uint32_t address, uint32_t opcode)
{
    const struct a32_rule *rule = a32_decode(opcode);
    struct step s = {.behind = (uint64_t)address + 4, .conditional = true};
    if (!(rule->does & A32_BRANCHES))
        return s;
    s.conditional = opcode >> 28 < 14;
    s.calls = rule->class == A32_call;
    s.returns = rule->class == A32_return;
    s.enters = (opcode & 0xfffffff0) == BLX_REGISTER;
    if ((opcode & 0x0e000000) == 0x0a000000 && opcode >> 28 != 15)
        s.target = address + 8 + (uint32_t)((int32_t)(opcode << 8) >> 6);
    return s;
}

static const char *follow(struct route *r, uint64_t start)
{
    const struct step *last = &r->last;
    if (last->calls && start == last->target) {
        if (r->depth == DEEPEST)
            return "the harness has too many calls inside each other";
        r->returns[r->depth++] = last->behind;
        return NULL;
    }
    if (last->returns && r->depth > 0 && start == r->returns[r->depth - 1]) {
        r->depth--;
        return NULL;
    }
    if (start == last->target || (start == last->behind && last->conditional))
        return NULL;
    return "the snapshot has changed where the harness goes";
}

static const char *end_call(struct route *r)
{
    if (r->stage == LEAVING)
        return "the snapshot runs after the results are written";
    if (r->stage == READING)
        r->stage = CALLING;
    return NULL;
}

const char *route_harness(struct route *r, uint64_t start, const struct step *step, bool called)
{
    const char *wrong = called ? end_call(r) : follow(r, start);
    bool library = r->stage == READING || r->stage == LEAVING; /* it comes back from there */
    r->last = *step;
    return library && !called ? NULL : wrong;
}

const char *route_outside(struct route *r)
{
    if (r->stage == CALLING)
        return "between calls, code outside the harness runs";
    if (r->stage == WRITTEN)
        r->stage = LEAVING;
    return NULL;
}

const char *route_system_call(struct route *r, int64_t number)
{
    bool ends = number == EXIT || number == EXIT_GROUP;
    bool frees = number == BRK || number == MUNMAP;
    if (r->stage == READING || ends || (r->stage == LEAVING && frees))
        return NULL;
    if (number != WRITE || r->stage == LEAVING)
        return "after the first call, the program asks for more than to write once and to end";
    r->stage = WRITTEN;
    return NULL;
}

bool route_is_gate(uint32_t opcode)
{
    return opcode == (STORE_LR | 14u << 28) || opcode == (LOAD_PC | 14u << 28);
}

const char *route_gate(struct route *r, bool stores, uint64_t address)
{
    if (stores)
        r->gate = address;
    return r->gate == address ? NULL : "the snapshot returns with another sp";
}
