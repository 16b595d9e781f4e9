/* A number below 2^128 is held in a struct of four 32-bit limbs with names, w0 the lowest, passed
 * and returned by value.  No limb is indexed, so the compiler may keep all four in registers.
 * Every limb is full, so a carry out of the top limb has no place here: less() finds it, because
 * x + y mod 2^128 < y exactly when x + y >= 2^128.  Branches depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four named limbs");

typedef struct {
    uint32_t w0, w1, w2, w3;
} nat;

/* x, from limbs. */
static inline nat load(const uint32_t x[LIMBS])
{
    nat z = {x[0], x[1], x[2], x[3]};

    return z;
}

/* z := x, to limbs. */
static inline void store(uint32_t z[LIMBS], nat x)
{
    z[0] = x.w0;
    z[1] = x.w1;
    z[2] = x.w2;
    z[3] = x.w3;
}

/* k. */
static inline nat set(uint32_t k)
{
    nat z = {k, 0, 0, 0};

    return z;
}

/* x mod 2. */
static inline int odd(nat x)
{
    return x.w0 & 1;
}

/* x + y mod 2^128. */
static inline nat add(nat x, nat y)
{
    register uint64_t s;

    s = (uint64_t)x.w0 + y.w0;
    x.w0 = (uint32_t)s;
    s = (s >> 32) + x.w1 + y.w1;
    x.w1 = (uint32_t)s;
    s = (s >> 32) + x.w2 + y.w2;
    x.w2 = (uint32_t)s;
    s = (s >> 32) + x.w3 + y.w3;
    x.w3 = (uint32_t)s;
    return x;
}

/* x - y mod 2^128. */
static inline nat sub(nat x, nat y)
{
    register uint64_t s;

    s = (uint64_t)x.w0 - y.w0;
    x.w0 = (uint32_t)s;
    s = (uint64_t)x.w1 - y.w1 - (s >> 63);
    x.w1 = (uint32_t)s;
    s = (uint64_t)x.w2 - y.w2 - (s >> 63);
    x.w2 = (uint32_t)s;
    s = (uint64_t)x.w3 - y.w3 - (s >> 63);
    x.w3 = (uint32_t)s;
    return x;
}

/* floor(x / 2^k).  Needs k < 128. */
static inline nat shr(nat x, int k)
{
    if (k & 64) {
        x.w0 = x.w2;
        x.w1 = x.w3;
        x.w2 = x.w3 = 0;
    }
    if (k & 32) {
        x.w0 = x.w1;
        x.w1 = x.w2;
        x.w2 = x.w3;
        x.w3 = 0;
    }
    k &= 31;
    if (k) {
        x.w0 = x.w0 >> k | x.w1 << (32 - k);
        x.w1 = x.w1 >> k | x.w2 << (32 - k);
        x.w2 = x.w2 >> k | x.w3 << (32 - k);
        x.w3 = x.w3 >> k;
    }
    return x;
}

/* floor((top 2^128 + x) / 2) mod 2^128. */
static inline nat halve(nat x, int top)
{
    x.w0 = x.w0 >> 1 | x.w1 << 31;
    x.w1 = x.w1 >> 1 | x.w2 << 31;
    x.w2 = x.w2 >> 1 | x.w3 << 31;
    x.w3 = x.w3 >> 1 | (uint32_t)top << 31;
    return x;
}

/* 1 if x < y, else 0. */
static inline int less(nat x, nat y)
{
    if (x.w3 != y.w3)
        return x.w3 < y.w3;
    if (x.w2 != y.w2)
        return x.w2 < y.w2;
    if (x.w1 != y.w1)
        return x.w1 < y.w1;
    return x.w0 < y.w0;
}

#endif
