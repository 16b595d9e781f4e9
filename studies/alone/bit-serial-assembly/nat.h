/* A number below 2^128 that is multiplied is an array of limbs, as mont_mul takes it.  The
 * exponent, which is only read bit by bit, is held in a struct of four 32-bit limbs with names, w0
 * the lowest, passed by value, so that the compiler may keep all four in registers. Branches depend
 * on the exponent's value. */
#ifndef NAT_H
#define NAT_H

#include "snapshot.h"

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

/* x mod 2. */
static inline int odd(nat x)
{
    return x.w0 & 1;
}

/* floor((top 2^128 + x) / 2) mod 2^128.  An exponent has no top: it is 0. */
static inline nat halve(nat x, int top)
{
    x.w0 = x.w0 >> 1 | x.w1 << 31;
    x.w1 = x.w1 >> 1 | x.w2 << 31;
    x.w2 = x.w2 >> 1 | x.w3 << 31;
    x.w3 = x.w3 >> 1 | (uint32_t)top << 31;
    return x;
}

/* 1 if x = 0, else 0. */
static inline int is_zero(nat x)
{
    return (x.w0 | x.w1 | x.w2 | x.w3) == 0;
}

#endif
