/* A number below 2^96 is held in a struct of three 32-bit limbs with names, w0 the lowest, passed
 * and returned by value.  No limb is indexed, so the compiler may keep all three in registers.
 * Every limb is full, so a carry out of the top limb has no place here: less() finds it, because
 * x + y mod 2^96 < y exactly when x + y >= 2^96.  Branches depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 96, "three named limbs");

typedef struct {
    uint32_t w0, w1, w2;
} nat;

/* x, from limbs. */
static nat load(const uint32_t x[LIMBS])
{
    nat z = {x[0], x[1], x[2]};

    return z;
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], nat x)
{
    z[0] = x.w0;
    z[1] = x.w1;
    z[2] = x.w2;
}

/* k. */
static nat set(uint32_t k)
{
    nat z = {k, 0, 0};

    return z;
}

/* x mod 2^32. */
static uint32_t low(nat x)
{
    return x.w0;
}

/* The number of bits of x: 0 for x = 0, else 1 + floor(log2 x). */
static int bits(nat x)
{
    if (x.w2)
        return 96 - __builtin_clz(x.w2);
    if (x.w1)
        return 64 - __builtin_clz(x.w1);
    return x.w0 ? 32 - __builtin_clz(x.w0) : 0;
}

/* x + y mod 2^96. */
static nat add(nat x, nat y)
{
    register uint64_t s;

    s = (uint64_t)x.w0 + y.w0;
    x.w0 = (uint32_t)s;
    s = (s >> 32) + x.w1 + y.w1;
    x.w1 = (uint32_t)s;
    s = (s >> 32) + x.w2 + y.w2;
    x.w2 = (uint32_t)s;
    return x;
}

/* x - y mod 2^96. */
static nat sub(nat x, nat y)
{
    register uint64_t s;

    s = (uint64_t)x.w0 - y.w0;
    x.w0 = (uint32_t)s;
    s = (uint64_t)x.w1 - y.w1 - (s >> 63);
    x.w1 = (uint32_t)s;
    s = (uint64_t)x.w2 - y.w2 - (s >> 63);
    x.w2 = (uint32_t)s;
    return x;
}

/* floor(x / 2). */
static nat rshift1(nat x)
{
    x.w0 = x.w0 >> 1 | x.w1 << 31;
    x.w1 = x.w1 >> 1 | x.w2 << 31;
    x.w2 = x.w2 >> 1;
    return x;
}

/* floor(x / 2^32). */
static nat rshift32(nat x)
{
    x.w0 = x.w1;
    x.w1 = x.w2;
    x.w2 = 0;
    return x;
}

/* x + top 2^95 mod 2^96.  Needs x < 2^95. */
static nat put_top(nat x, uint32_t top)
{
    x.w2 |= top << 31;
    return x;
}

/* 1 if x < y, else 0. */
static uint32_t less(nat x, nat y)
{
    if (x.w2 != y.w2)
        return x.w2 < y.w2;
    if (x.w1 != y.w1)
        return x.w1 < y.w1;
    return x.w0 < y.w0;
}

#endif
