/* What Unicorn calls while it executes an ARM program: counters for each address, nothing else.
 *
 * Compiled together with the decoder and the branch predictor of the plugin into build/unicorn.so,
 * which tally.py loads.  Written in C because a call-back in Python is a hundred times slower.
 *
 * executed() is called before each instruction, its condition holding or not.  Memory accesses are
 * counted in one of two ways.  Either accessed() is called for each of them, which makes Unicorn
 * leave its fast path for memory and costs a factor of ten; or nobody calls it, and for
 * conditional instructions that use memory, whose number of accesses does not follow from their
 * executions, executed() notes whether the condition holds. */
#include "predict.h"

#include <stdbool.h>
#include <stdint.h>

#define UC_ARM_REG_CPSR 3
#define UC_MEM_WRITE 17

/* One halfword of the program's code. */
struct place {
    uint64_t executions;
    uint64_t jumped; /* the next instruction was not the one behind it */
    uint64_t held;   /* the condition held; only where one is asked for */
    uint64_t loads, stores;
    uint64_t mispredicted; /* simulated */
    uint32_t branch;       /* the opcode, if it is a branch of the snapshot, else 0 */
    uint32_t part;         /* enum part */
    uint32_t size;
    uint32_t ask; /* 1 + the condition to be asked for, 0 for none */
};

struct tally {
    uint32_t start, length;
    struct place *places;
    struct place *current;
    uint32_t next;
    struct place nowhere; /* all that stands outside [start, start + length) */
    int (*reg_read)(void *engine, int reg, void *value);
    struct predictor predictor;
    uint64_t spent; /* instructions of the snapshot */
};

void executed(void *engine, uint64_t address, uint32_t size, void *tally);
void accessed(void *engine, int type, uint64_t address, int size, int64_t value, void *tally);

/* Arm Architecture Reference Manual, ARMv7-A edition, A8.3: the lowest bit negates. */
static bool holds(uint32_t condition, uint32_t cpsr)
{
    bool n = cpsr >> 31 & 1, z = cpsr >> 30 & 1, c = cpsr >> 29 & 1, v = cpsr >> 28 & 1;
    const bool base[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    return base[condition >> 1 & 7] != (condition & 1);
}

/* Only now is it known where the branch before went. */
static void predict(struct tally *t, const struct place *p, uint32_t address)
{
    struct place *last = t->current;
    if (last->branch != 0)
        last->mispredicted += predict_branch(&t->predictor, t->next - 4, last->branch, address);
    if (last->part != p->part)
        predict_passage(&t->predictor, last->part, p->part);
}

void executed(void *engine, uint64_t address, uint32_t size, void *tally)
{
    struct tally *t = tally;
    uint32_t offset = (uint32_t)address - t->start;
    struct place *p = offset < t->length ? &t->places[offset / 2] : &t->nowhere;
    t->current->jumped += t->next != (uint32_t)address;
    predict(t, p, p->part == HARNESS ? HARNESS_ADDRESS : (uint32_t)address);
    t->next = (uint32_t)address + size;
    t->current = p;
    p->executions++;
    t->spent += p->part == SNAPSHOT;
    p->size = size;
    if (p->ask != 0) {
        uint32_t cpsr = 0;
        t->reg_read(engine, UC_ARM_REG_CPSR, &cpsr);
        p->held += holds(p->ask - 1, cpsr);
    }
}

void accessed(void *engine, int type, uint64_t address, int size, int64_t value, void *tally)
{
    struct tally *t = tally;
    (void)engine, (void)address, (void)size, (void)value;
    *(type == UC_MEM_WRITE ? &t->current->stores : &t->current->loads) += 1;
}
