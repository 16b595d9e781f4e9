/* A number below 2^128 is held in an array of four 32-bit limbs, x[0] the lowest: operands and
 * results go through pointers, and loops index the limbs.  Every limb is full: what does not fit in
 * the top limb is a number of its own, top.  A product of two limbs and two more limbs fit in 64
 * bits: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.  z may be any operand.  Branches depend on the
 * operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four limbs");

typedef uint32_t nat[LIMBS];

/* z := x, from limbs. */
static void load(nat z, const uint32_t x[LIMBS])
{
    register int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], const nat x)
{
    register int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := k. */
static void set(nat z, uint32_t k)
{
    register int i;

    z[0] = k;
    for (i = 1; i < LIMBS; i++)
        z[i] = 0;
}

/* x := x + d y mod 2^128, and the limb above it.  x + d y < 2^160, so that one limb is enough. */
static inline uint32_t add_multiple(nat x, uint32_t d, const nat y)
{
    register uint64_t s = 0;
    register int i;

    for (i = 0; i < LIMBS; i++) {
        s = (s >> 32) + (uint64_t)d * y[i] + x[i];
        x[i] = (uint32_t)s;
    }
    return (uint32_t)(s >> 32);
}

/* z := x - y mod 2^128. */
static void sub(nat z, const nat x, const nat y)
{
    register uint64_t s = 0;
    register int i;

    for (i = 0; i < LIMBS; i++) {
        s = (uint64_t)x[i] - y[i] - (s >> 63);
        z[i] = (uint32_t)s;
    }
}

/* z := floor((top 2^128 + x) / 2^32). */
static inline void next_limb(nat z, const nat x, uint32_t top)
{
    register int i;

    for (i = 0; i < LIMBS - 1; i++)
        z[i] = x[i + 1];
    z[i] = top;
}

/* 1 if x < y, else 0. */
static int less(const nat x, const nat y)
{
    register int i;

    for (i = LIMBS - 1; i > 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i];
    return x[0] < y[0];
}

#endif
