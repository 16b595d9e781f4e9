/* A number below 2^128 is held in a struct of two 64-bit halves, passed and returned by value.
 * Both halves are full, so a carry out of the upper one has no place here: less() finds it, because
 * x + y mod 2^128 < y exactly when x + y >= 2^128.  Branches depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "two halves of 64 bits");

typedef struct {
    uint64_t lo, hi;
} nat;

/* x, from limbs. */
static nat load(const uint32_t x[LIMBS])
{
    nat z = {(uint64_t)x[1] << 32 | x[0], (uint64_t)x[3] << 32 | x[2]};

    return z;
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], nat x)
{
    z[0] = (uint32_t)x.lo;
    z[1] = (uint32_t)(x.lo >> 32);
    z[2] = (uint32_t)x.hi;
    z[3] = (uint32_t)(x.hi >> 32);
}

/* k. */
static nat set(uint32_t k)
{
    nat z = {k, 0};

    return z;
}

/* x mod 2. */
static int odd(nat x)
{
    return x.lo & 1;
}

/* x + y mod 2^128. */
static nat add(nat x, nat y)
{
    x.lo += y.lo;
    x.hi += y.hi + (x.lo < y.lo);
    return x;
}

/* x - y mod 2^128. */
static nat sub(nat x, nat y)
{
    x.hi -= y.hi + (x.lo < y.lo);
    x.lo -= y.lo;
    return x;
}

/* floor(x / 2^k).  Needs k < 128. */
static nat shr(nat x, int k)
{
    if (k & 64) {
        x.lo = x.hi;
        x.hi = 0;
    }
    k &= 63;
    if (k) {
        x.lo = x.lo >> k | x.hi << (64 - k);
        x.hi = x.hi >> k;
    }
    return x;
}

/* floor((top 2^128 + x) / 2) mod 2^128. */
static nat halve(nat x, int top)
{
    x.lo = x.lo >> 1 | x.hi << 63;
    x.hi = x.hi >> 1 | (uint64_t)top << 63;
    return x;
}

/* 1 if x < y, else 0. */
static int less(nat x, nat y)
{
    if (x.hi != y.hi)
        return x.hi < y.hi;
    return x.lo < y.lo;
}

#endif
