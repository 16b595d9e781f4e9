/* Calls between guard words: nothing but z may change, wherever the operands are. */
#include "driver.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A number, or a modulus, between guard words.  An odd number of them leaves the limbs four bytes of
 * alignment and no more, which is all that the contract gives. */
#define GUARD 5
#define GUARD_WORD 0xa5c3f00dU

struct guarded {
    _Alignas(16) uint32_t before[GUARD];
    uint32_t limb[LIMBS];
    uint32_t after[GUARD];
};

struct guarded_modulus {
    _Alignas(16) uint32_t before[GUARD];
    struct modulus m;
    uint32_t after[GUARD];
};

/* Which of three places each operand has.  Two operands in one place need equal values. */
struct form {
    const char *name;
    int x, y, z;
};

static const struct form separate = {"", 0, 1, 2};
static const struct form aliased[] = {
    {" with z = x", 0, 1, 0},
    {" with z = y", 0, 1, 1},
    {" with x = y", 0, 0, 2},
    {" with z = x = y", 0, 0, 0},
};

static void guarded_set(struct guarded *g, const uint32_t limb[LIMBS])
{
    for (int i = 0; i < GUARD; i++)
        g->before[i] = g->after[i] = GUARD_WORD;
    memcpy(g->limb, limb, sizeof g->limb);
}

#ifndef __arm__
uint32_t call_checked(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                      snapshot_function *f)
{
    f(z, x, y, m);
    return 0;
}

void plain_call(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                snapshot_function *f)
{
    f(z, x, y, m);
}

long write_out(const char *text, size_t size)
{
    return write(1, text, size);
}
#endif

/* What is wrong, on stderr. */
static void report(size_t number, const struct call *c, const char *form, bool memory,
                   uint32_t registers)
{
    fprintf(stderr, "call %zu: %s%s: ", number, c->power ? "mod_exp" : "mont_mul", form);
    if (memory)
        fprintf(stderr, "other memory was written: operands or beyond them");
    else if (registers == 0)
        fprintf(stderr, "another result than with a place for each operand");
    else {
        fprintf(stderr, "registers were not preserved:");
        for (int bit = 0; bit < 24; bit++)
            if (registers >> bit & 1)
                fprintf(stderr,
                        bit == 13  ? " sp"
                        : bit < 16 ? " r%d"
                                   : " d%d",
                        bit < 16 ? bit : bit - 8);
    }
    fprintf(stderr, "\n");
}

/* z := the call in this form.  True when it has changed more than that or, in an aliased form, z was
 * something else before. */
static bool check_form(size_t number, const struct call *c, const struct form *f, uint32_t *z)
{
    struct guarded place[3];
    struct guarded wanted[3];
    struct guarded_modulus modulus, modulus_wanted;
    uint32_t unset[LIMBS];
    memset(unset, 0xee, sizeof unset);
    memset(place, 0xee, sizeof place);
    memset(&modulus, 0xee, sizeof modulus);
    modulus.m = c->m;
    modulus_wanted = modulus;
    guarded_set(&place[2], unset);
    guarded_set(&place[f->y], c->y);
    guarded_set(&place[f->x], c->x);
    memcpy(wanted, place, sizeof wanted);

    uint32_t registers = call_checked(place[f->z].limb, place[f->x].limb, place[f->y].limb,
                                      &modulus.m, c->power ? mod_exp : mont_mul);

    bool other = f != &separate && memcmp(z, place[f->z].limb, sizeof unset) != 0;
    memcpy(z, place[f->z].limb, sizeof unset);
    guarded_set(&wanted[f->z], z);
    bool memory = memcmp(&modulus, &modulus_wanted, sizeof modulus) != 0 ||
                  memcmp(place, wanted, sizeof wanted) != 0;
    if (memory || other || registers != 0)
        report(number, c, f->name, memory, registers);
    return memory || other || registers != 0;
}

bool check_calls(const struct call *calls, size_t count)
{
    bool faulty = false;
    uint32_t z[LIMBS];
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < count; i++) {
        struct call c = calls[i];
        if (c.chained)
            memcpy(c.x, z, sizeof z);
        faulty |= check_form(i + 1, &c, &separate, z);
        print_result(z, "\n");
        bool equal = memcmp(c.x, c.y, sizeof z) == 0;
        size_t forms = !c.aliased ? 0 : c.power ? 1 : sizeof aliased / sizeof aliased[0];
        for (size_t f = 0; f < forms; f++)
            if (aliased[f].x != aliased[f].y || equal)
                faulty |= check_form(i + 1, &c, &aliased[f], z);
    }
    return faulty;
}
