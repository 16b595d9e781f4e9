/* A number below 2^96 is held in a struct of an array of three 32-bit limbs, w[0] the lowest, which
 * is passed and returned by value.  Loops index the limbs.  Every limb is full, so a carry out of
 * the top limb has no place here: less() finds it, because x + y mod 2^96 < y exactly when
 * x + y >= 2^96.  Branches and loops depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 96, "three limbs");

typedef struct {
    uint32_t w[LIMBS];
} nat;

/* x, from limbs. */
static nat load(const uint32_t x[LIMBS])
{
    nat z;
    int i;

    for (i = 0; i < LIMBS; i++)
        z.w[i] = x[i];
    return z;
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], nat x)
{
    int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x.w[i];
}

/* k. */
static nat set(uint32_t k)
{
    nat z = {{k, 0, 0}};

    return z;
}

/* x mod 2^32. */
static uint32_t low(nat x)
{
    return x.w[0];
}

/* The number of bits of x: 0 for x = 0, else 1 + floor(log2 x). */
static int bits(nat x)
{
    int i;

    for (i = LIMBS; i-- > 0;)
        if (x.w[i])
            return 32 * i + 32 - __builtin_clz(x.w[i]);
    return 0;
}

/* x + y mod 2^96. */
static nat add(nat x, nat y)
{
    uint64_t s = 0;
    int i;

    for (i = 0; i < LIMBS; i++) {
        s = (s >> 32) + x.w[i] + y.w[i];
        x.w[i] = (uint32_t)s;
    }
    return x;
}

/* x - y mod 2^96. */
static nat sub(nat x, nat y)
{
    uint64_t s = 0;
    int i;

    for (i = 0; i < LIMBS; i++) {
        s = (uint64_t)x.w[i] - y.w[i] - (s >> 63);
        x.w[i] = (uint32_t)s;
    }
    return x;
}

/* floor(x / 2^k).  Needs 0 <= k < 96.  No limb is ever shifted by 32, which C leaves undefined. */
static nat rshift(nat x, int k)
{
    nat z = set(0);
    int i, limb = k / 32, bit = k % 32;

    for (i = 0; i + limb < LIMBS; i++) {
        z.w[i] = x.w[i + limb] >> bit;
        if (bit && i + limb + 1 < LIMBS)
            z.w[i] |= x.w[i + limb + 1] << (32 - bit);
    }
    return z;
}

/* x + top 2^95 mod 2^96.  Needs x < 2^95. */
static nat put_top(nat x, uint32_t top)
{
    x.w[2] |= top << 31;
    return x;
}

/* 1 if x < y, else 0. */
static uint32_t less(nat x, nat y)
{
    int i;

    for (i = LIMBS; i-- > 0;)
        if (x.w[i] != y.w[i])
            return x.w[i] < y.w[i];
    return 0;
}

#endif
