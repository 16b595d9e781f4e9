/* ARM DDI 0301H, sections 5.2 (dynamic and static prediction), 5.3 (return stack) and 16.8 (which
 * branches are not predicted).  Where the manual is silent: bits 8 to 2 of a branch's address
 * choose its entry and the whole address is compared; a new entry begins in the weak state of what
 * the branch did; a branch is resolved before the next one is fetched. */
#include "predict.h"

/* A1 encodings; the opcode is known to be a branch, so media instructions need no exclusion. */
enum kind { DIRECT, RETURN, UNPREDICTED };

static enum kind kind_of(uint32_t opcode)
{
    if ((opcode & 0x0e000000) == 0x0a000000) /* b, bl, blx to a label */
        return DIRECT;
    if (opcode >> 28 == 15)
        return UNPREDICTED;
    if ((opcode & 0x0fffffff) == 0x012fff1e || /* bx lr */
        (opcode & 0x0e5f8000) == 0x081d8000 || /* ldm sp, {..., pc} */
        (opcode & 0x0c5ff000) == 0x041df000)   /* ldr pc, [sp ...] */
        return RETURN;
    return UNPREDICTED;
}

static bool is_call(uint32_t opcode)
{
    return (opcode & 0x0f000000) == 0x0b000000 || /* bl */
           (opcode & 0xfe000000) == 0xfa000000 || /* blx to a label */
           (opcode & 0x0ffffff0) == 0x012fff30;   /* blx to a register */
}

static void push(struct predictor *p, uint32_t address)
{
    p->returns[p->top] = address;
    p->top = (p->top + 1) % RETURN_ENTRIES;
    p->depth += p->depth < RETURN_ENTRIES;
}

/* An address where no instruction is, if the stack is empty: no prediction. */
static uint32_t pop(struct predictor *p)
{
    if (p->depth == 0)
        return UINT32_MAX;
    p->depth--;
    p->top = (p->top + RETURN_ENTRIES - 1) % RETURN_ENTRIES;
    return p->returns[p->top];
}

/* 5.2.3 and 5.3: unconditional branches are taken, conditional calls are not, and of the other
 * conditional branches those backwards are taken. */
static bool static_prediction(uint32_t opcode)
{
    bool backwards = opcode >> 23 & 1;
    return opcode >> 28 >= 14 || (backwards && !is_call(opcode));
}

/* 5.2: a hit predicts by history; a miss falls back on the static prediction, and the branch gets
 * the entry whether it was taken or not.  The target of a direct branch is always right. */
static bool direct_mispredicted(struct predictor *p, uint32_t address, uint32_t opcode, bool taken)
{
    struct btac_entry *entry = &p->btac[address / 4 % BTAC_ENTRIES];
    if (entry->address != address) {
        *entry = (struct btac_entry){address, taken ? 2 : 1};
        return static_prediction(opcode) != taken;
    }
    bool predicted = entry->history >= 2;
    if (taken)
        entry->history += entry->history < 3;
    else
        entry->history -= entry->history > 0;
    return predicted != taken;
}

bool predict_branch(struct predictor *p, uint32_t address, uint32_t opcode, uint32_t next)
{
    bool always = opcode >> 28 >= 14;
    bool taken = always || next != address + 4;
    bool wrong = taken; /* not predicted: the next instruction is fetched */
    enum kind kind = kind_of(opcode);
    if (kind == DIRECT)
        wrong = direct_mispredicted(p, address, opcode, taken);
    else if (kind == RETURN && always) /* 5.3: only unconditional returns are predicted */
        wrong = pop(p) != next;
    if (taken && is_call(opcode))
        push(p, address + 4);
    return wrong;
}

void predict_passage(struct predictor *p, enum part from, enum part to)
{
    if (from == HARNESS && to == SNAPSHOT)
        push(p, HARNESS_ADDRESS); /* its call */
    if (from == RUN_TIME && to != RUN_TIME)
        pop(p);
}
