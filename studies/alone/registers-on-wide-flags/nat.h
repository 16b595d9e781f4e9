/* A number below 2^128 is held in an array of four 32-bit limbs, x[0] the lowest, always in memory:
 * operands and results go through pointers, and loops index the limbs.  Every limb is full, so a
 * carry out of the top limb has no place here: less() finds it, because x + y mod 2^128 < y exactly
 * when x + y >= 2^128.  z may be any operand.  Branches and loops depend on the operands. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "shr() takes limbs in steps of two and one");

typedef uint32_t nat[LIMBS];

/* z := x, from limbs. */
static void load(nat z, const uint32_t x[LIMBS])
{
    register uint64_t i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], const nat x)
{
    register uint64_t i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := k. */
static void set(nat z, uint32_t k)
{
    register uint64_t i;

    z[0] = k;
    for (i = 1; i < LIMBS; i++)
        z[i] = 0;
}

/* x mod 2. */
static uint64_t odd(const nat x)
{
    return x[0] & 1;
}

/* z := x + y mod 2^128. */
static void add(nat z, const nat x, const nat y)
{
    register uint64_t i, s = 0;

    for (i = 0; i < LIMBS; i++) {
        s = (s >> 32) + x[i] + y[i];
        z[i] = (uint32_t)s;
    }
}

/* z := x - y mod 2^128. */
static void sub(nat z, const nat x, const nat y)
{
    register uint64_t i, s = 0;

    for (i = 0; i < LIMBS; i++) {
        s = (uint64_t)x[i] - y[i] - (s >> 63);
        z[i] = (uint32_t)s;
    }
}

/* z := floor(x / 2^k).  Needs k < 128. */
static void shr(nat z, const nat x, uint64_t k)
{
    register uint64_t i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
    if (k & 64) {
        for (i = 0; i < LIMBS - 2; i++)
            z[i] = z[i + 2];
        z[i] = z[i + 1] = 0;
    }
    if (k & 32) {
        for (i = 0; i < LIMBS - 1; i++)
            z[i] = z[i + 1];
        z[i] = 0;
    }
    k &= 31;
    if (k) {
        for (i = 0; i < LIMBS - 1; i++)
            z[i] = z[i] >> k | z[i + 1] << (32 - k);
        z[i] = z[i] >> k;
    }
}

/* z := floor((top 2^128 + x) / 2) mod 2^128. */
static void halve(nat z, const nat x, uint64_t top)
{
    register uint64_t i;

    for (i = 0; i < LIMBS - 1; i++)
        z[i] = x[i] >> 1 | x[i + 1] << 31;
    z[i] = x[i] >> 1 | (uint32_t)top << 31;
}

/* 1 if x < y, else 0. */
static uint64_t less(const nat x, const nat y)
{
    register uint64_t i;

    for (i = LIMBS - 1; i > 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i];
    return x[0] < y[0];
}

#endif
