/* What counts of a program in Unicorn, and how the rows of the counter's file come out of it.
 *
 * Where code outside the snapshot is executed, which may be Thumb, accesses have to be watched. */
#include "tally.h"
#include "a32.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UC_MEM_WRITE 17
#define CPSR_THUMB (1u << 5)

static const struct a32_rule thumb = {0, 0, A32_thumb, 0};

/* ---- While the program runs ---- */

/* Arm Architecture Reference Manual, ARMv7-A edition, A8.3: the lowest bit negates. */
static bool holds(uint32_t condition, uint32_t cpsr)
{
    bool n = cpsr >> 31 & 1, z = cpsr >> 30 & 1, c = cpsr >> 29 & 1, v = cpsr >> 28 & 1;
    const bool base[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    return base[condition >> 1 & 7] != (condition & 1);
}

/* Only now is it known where the branch before went. */
static void predict(struct tally *t, const struct halfword *p, uint32_t address)
{
    struct halfword *last = t->current;
    if (last->branch != 0)
        last->mispredicted += predict_branch(&t->predictor, t->next - 4, last->branch, address);
    if (last->part != p->part)
        predict_passage(&t->predictor, last->part, p->part);
}

static void look_at(struct tally *t, void *engine, struct halfword *p, uint32_t size)
{
    uint32_t cpsr = 0;
    if (p->part == HARNESS)
        t->stop("the snapshot runs code that is not the program's: %#x", t->next - size);
    t->reg_read(engine, UC_ARM_REG_CPSR, &cpsr);
    p->thumb = (cpsr & CPSR_THUMB) != 0;
    p->size = (uint8_t)size;
    t->outside |= p->part != SNAPSHOT;
}

void executed(void *engine, uint64_t address, uint32_t size, void *tally)
{
    struct tally *t = tally;
    uint32_t offset = (uint32_t)address - t->code.start;
    struct halfword *p =
        offset < t->code.end - t->code.start ? &t->places[offset / 2] : &t->nowhere;
    t->current->jumped += t->next != (uint32_t)address;
    predict(t, p, p->part == HARNESS ? HARNESS_ADDRESS : (uint32_t)address);
    t->next = (uint32_t)address + size;
    t->current = p;
    p->executions++;
    if (p->size == 0 && engine != NULL)
        look_at(t, engine, p, size);
    t->calls.spent += p->part == SNAPSHOT;
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

/* ---- Before and after ---- */

static size_t length(const struct tally *t)
{
    return (t->code.end - t->code.start) / 2;
}

static uint32_t address_of(const struct tally *t, size_t i)
{
    return t->code.start + 2 * (uint32_t)i;
}

/* Thumb too: the bytes as a little-endian number. */
static uint32_t opcode_at(const struct tally *t, size_t i, uint32_t size)
{
    uint32_t opcode = 0;
    memcpy(&opcode, t->bytes + 2 * i, size);
    return opcode;
}

bool tally_begin(struct tally *t)
{
    t->places = calloc(length(t) + 8, sizeof *t->places); /* and those behind the last */
    t->nowhere.part = HARNESS;
    t->current = &t->nowhere;
    if (t->places == NULL)
        return false;
    for (size_t i = 0; i < length(t); i++)
        t->places[i].part = RUN_TIME;
    for (uint32_t at = t->snapshot.start; at + 4 <= t->snapshot.end; at += 4) {
        size_t i = (at - t->code.start) / 2;
        uint32_t opcode = opcode_at(t, i, 4);
        int does = a32_decode(opcode)->does;
        t->places[i].part = t->places[i + 1].part = SNAPSHOT;
        if (does & A32_BRANCHES)
            t->places[i].branch = opcode;
        if (opcode >> 28 < 14 && does & (A32_LOADS | A32_STORES))
            t->places[i].ask = 1 + (opcode >> 28);
    }
    return true;
}

bool tally_end_call(struct tally *t, uint32_t trap)
{
    executed(NULL, trap, 4, t); /* says where the last branch went */
    return calls_add(&t->calls);
}

/* Unicorn calls back for a Thumb instruction that an IT made conditional only if it holds; each of
 * the one to four is executed as often as the IT itself. */
static void count_what_fails(struct tally *t, size_t it)
{
    uint32_t opcode = opcode_at(t, it, 2), mask = opcode & 15;
    if (opcode >> 8 != 0xbf || mask == 0)
        return;
    int n = 4;
    for (; (mask & 1) == 0; mask >>= 1)
        n--;
    for (size_t i = it + 1; n > 0 && i < length(t); n--) {
        struct halfword *p = &t->places[i];
        p->size = opcode_at(t, i, 2) >> 11 > 28 ? 4 : 2;
        p->executions = t->places[it].executions;
        p->thumb = true;
        i += p->size / 2;
    }
}

/* False where its accesses cannot be told. */
static bool row_of(const struct tally *t, size_t i, struct row *row)
{
    const struct halfword *p = &t->places[i];
    uint32_t opcode = opcode_at(t, i, p->size);
    const struct a32_rule *rule = p->thumb ? &thumb : a32_decode(opcode);
    *row = (struct row){address_of(t, i), opcode,    p->size,        rule, p->executions, 0,
                        p->loads,         p->stores, p->mispredicted};
    if (rule->does & A32_BRANCHES)
        row->taken = opcode >> 28 >= 14 ? p->executions : p->jumped;
    if (p->part != SNAPSHOT || !(rule->does & (A32_LOADS | A32_STORES)))
        return true;
    uint64_t held = p->ask != 0 ? p->held : p->executions;
    bool told = t->try(opcode, &row->loads, &row->stores);
    row->loads *= held;
    row->stores *= held;
    return told;
}

const char *tally_write(struct tally *t, const char *out)
{
    size_t n = 0;
    struct row *rows = calloc(length(t), sizeof *rows);
    if (rows == NULL)
        return "out of memory";
    for (size_t i = 0; i < length(t); i++) {
        if (t->places[i].executions == 0)
            continue;
        if (t->places[i].thumb)
            count_what_fails(t, i);
        if (!row_of(t, i, &rows[n++]))
            return "an instruction of the snapshot cannot be executed among zeros";
    }
    return count_write(rows, n, &t->calls, out) == 0 ? NULL : strerror(errno);
}
