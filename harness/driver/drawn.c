/* Operands that nobody can know beforehand: drawn with a seed.  The harness's own arithmetic finds
 * the answers after each call. */
#include "commands.h"
#include <string.h>

#define PRODUCTS 64
#define POWERS 8

/* A linear congruential generator (Knuth's constants), of which only the upper half is used. */
static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 32);
}

/* A number of WIDTH - shift bits. */
static struct number draw_number(uint64_t *state, uint32_t shift)
{
    struct number x = {{0}};
    for (uint32_t bit = 0; bit < WIDTH - shift; bit++)
        x.limb[bit / 32] |= (draw(state) >> 31) << bit % 32;
    return x;
}

static struct number draw_below(uint64_t *state, uint32_t shift, const uint32_t n[LIMBS])
{
    struct number x;
    do
        x = draw_number(state, shift);
    while (number_compare(x.limb, n) >= 0);
    return x;
}

/* Half of the moduli have the full width, the others any from 2 bits on. */
static struct vector draw_vector(uint64_t *state, enum operation operation)
{
    struct vector v = {.operation = operation, .kind = "aliasing", .open = true};
    uint32_t shift = draw(state) >> 31 ? draw(state) % (WIDTH - 1) : 0;
    uint32_t top = WIDTH - 1 - shift;
    struct number n = draw_number(state, shift);
    n.limb[0] |= 1;
    n.limb[top / 32] |= 1U << top % 32;
    modulus_derive(&v.m, &n);
    v.x = draw_below(state, shift, v.m.n);
    v.y = operation == MOD_EXP ? draw_number(state, 0) : draw_below(state, shift, v.m.n);
    return v;
}

size_t check_drawn(uint32_t seed)
{
    uint64_t state = seed;
    char name[40];
    snprintf(name, sizeof name, "drawn with seed %lu", (unsigned long)seed);
    for (size_t i = 0; i < PRODUCTS + POWERS; i++) {
        struct vector v = draw_vector(&state, i < PRODUCTS ? MONT_MUL : MOD_EXP);
        v.file = name;
        v.line = i + 1;
        check_vector(&v);
    }
    return PRODUCTS + POWERS;
}
