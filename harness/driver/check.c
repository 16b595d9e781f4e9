/* Check vectors against the snapshot: values to the last bit, aliasing, and nothing else touched.
 */
#include "commands.h"
#include <stdlib.h>
#include <string.h>

void expect(const char *file, size_t line, const char *what, const uint32_t expected[LIMBS],
            const uint32_t got[LIMBS])
{
    char expected_hex[HEX_DIGITS + 1];
    char got_hex[HEX_DIGITS + 1];
    if (number_compare(expected, got) == 0)
        return;
    number_to_hex(expected_hex, expected);
    number_to_hex(got_hex, got);
    fprintf(stderr, "%s:%zu: %s: expected %s, got %s\n", file, line, what, expected_hex, got_hex);
    exit(1);
}

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

static struct number answer(const struct vector *v)
{
    if (!v->open)
        return v->z;
    if (v->operation == MOD_EXP)
        return number_power(&v->x, &v->y, v->m.n);
    struct number z = number_multiply(&v->x, &v->y, v->m.n);
    for (int i = 0; i < WIDTH; i++) /* R = 2^WIDTH */
        number_halve(&z, v->m.n);
    return z;
}

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
                      void (*f)(uint32_t *z, const uint32_t *x, const uint32_t *y,
                                const struct modulus *m))
{
    f(z, x, y, m);
    return 0;
}
#endif

static const char *operation_name(enum operation operation)
{
    return operation == MONT_MUL ? "mont_mul" : "mod_exp";
}

/* Ends the program when the call was right in its result, but not in what it left unchanged. */
static void unchanged(const struct vector *v, const char *what, bool memory, uint32_t registers)
{
    if (!memory && registers == 0)
        return;
    fprintf(stderr, "%s:%zu: %s: z is right, but ", v->file, v->line, what);
    if (memory)
        fprintf(stderr, "other memory was written: operands or beyond them\n");
    else {
        fprintf(stderr, "registers were not preserved:");
        for (int bit = 0; bit < 24; bit++)
            if (registers >> bit & 1)
                fprintf(stderr,
                        bit == 13  ? " sp"
                        : bit < 16 ? " r%d"
                                   : " d%d",
                        bit < 16 ? bit : bit - 8);
        fprintf(stderr, "\n");
    }
    exit(1);
}

static void check_form(const struct vector *v, const struct form *f)
{
    struct guarded place[3];
    struct guarded wanted[3];
    struct guarded_modulus modulus, modulus_wanted;
    struct number unset;
    char what[80];
    memset(&unset, 0xee, sizeof unset);
    memset(place, 0xee, sizeof place);
    memset(&modulus, 0xee, sizeof modulus);
    modulus.m = v->m;
    modulus_wanted = modulus;
    guarded_set(&place[2], unset.limb);
    guarded_set(&place[f->y], v->y.limb);
    guarded_set(&place[f->x], v->x.limb);
    memcpy(wanted, place, sizeof wanted);

    uint32_t registers = call_checked(place[f->z].limb, place[f->x].limb, place[f->y].limb,
                                      &modulus.m, v->operation == MONT_MUL ? mont_mul : mod_exp);

    struct number z = answer(v);
    guarded_set(&wanted[f->z], z.limb);
    snprintf(what, sizeof what, "%s (%s)%s", operation_name(v->operation), v->kind, f->name);
    expect(v->file, v->line, what, wanted[f->z].limb, place[f->z].limb);
    unchanged(v, what,
              memcmp(&modulus, &modulus_wanted, sizeof modulus) != 0 ||
                  memcmp(place, wanted, sizeof wanted) != 0,
              registers);
}

void check_vector(const struct vector *v)
{
    check_form(v, &separate);
    if (strcmp(v->kind, "aliasing") != 0)
        return;
    if (v->operation == MOD_EXP) {
        check_form(v, &aliased[0]);
        return;
    }
    bool equal = number_compare(v->x.limb, v->y.limb) == 0;
    for (size_t i = 0; i < sizeof aliased / sizeof aliased[0]; i++)
        if (aliased[i].x != aliased[i].y || equal)
            check_form(v, &aliased[i]);
}

void call_vector(const struct vector *v)
{
    struct number z;
    (v->operation == MONT_MUL ? mont_mul : mod_exp)(z.limb, v->x.limb, v->y.limb, &v->m);
    struct number wanted = answer(v);
    expect(v->file, v->line, operation_name(v->operation), wanted.limb, z.limb);
}
