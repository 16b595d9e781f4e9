/* A number below 2^128 is held in a struct of four 32-bit limbs with names, w0 the lowest, always
 * in memory: operands and results go through pointers.  Every limb is full, so a carry out of the top
 * limb has no place here: less() finds it, because x + y mod 2^128 < y exactly when x + y >= 2^128.
 * z may be any operand.  Branches depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four named limbs");

typedef struct {
    uint32_t w0, w1, w2, w3;
} nat;

/* z := x, from limbs. */
static void load(nat *z, const uint32_t x[LIMBS])
{
    z->w0 = x[0];
    z->w1 = x[1];
    z->w2 = x[2];
    z->w3 = x[3];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], const nat *x)
{
    z[0] = x->w0;
    z[1] = x->w1;
    z[2] = x->w2;
    z[3] = x->w3;
}

/* z := k. */
static void set(nat *z, uint32_t k)
{
    z->w0 = k;
    z->w1 = z->w2 = z->w3 = 0;
}

/* x mod 2. */
static int odd(const nat *x)
{
    return x->w0 & 1;
}

/* z := x + y mod 2^128. */
static void add(nat *z, const nat *x, const nat *y)
{
    register uint64_t s;

    s = (uint64_t)x->w0 + y->w0;
    z->w0 = (uint32_t)s;
    s = (s >> 32) + x->w1 + y->w1;
    z->w1 = (uint32_t)s;
    s = (s >> 32) + x->w2 + y->w2;
    z->w2 = (uint32_t)s;
    s = (s >> 32) + x->w3 + y->w3;
    z->w3 = (uint32_t)s;
}

/* z := x - y mod 2^128. */
static void sub(nat *z, const nat *x, const nat *y)
{
    register uint64_t s;

    s = (uint64_t)x->w0 - y->w0;
    z->w0 = (uint32_t)s;
    s = (uint64_t)x->w1 - y->w1 - (s >> 63);
    z->w1 = (uint32_t)s;
    s = (uint64_t)x->w2 - y->w2 - (s >> 63);
    z->w2 = (uint32_t)s;
    s = (uint64_t)x->w3 - y->w3 - (s >> 63);
    z->w3 = (uint32_t)s;
}

/* z := floor(x / 2^k).  Needs k < 128. */
static void shr(nat *z, const nat *x, int k)
{
    z->w0 = x->w0;
    z->w1 = x->w1;
    z->w2 = x->w2;
    z->w3 = x->w3;
    if (k & 64) {
        z->w0 = z->w2;
        z->w1 = z->w3;
        z->w2 = z->w3 = 0;
    }
    if (k & 32) {
        z->w0 = z->w1;
        z->w1 = z->w2;
        z->w2 = z->w3;
        z->w3 = 0;
    }
    k &= 31;
    if (k) {
        z->w0 = z->w0 >> k | z->w1 << (32 - k);
        z->w1 = z->w1 >> k | z->w2 << (32 - k);
        z->w2 = z->w2 >> k | z->w3 << (32 - k);
        z->w3 = z->w3 >> k;
    }
}

/* z := floor((top 2^128 + x) / 2) mod 2^128. */
static void halve(nat *z, const nat *x, int top)
{
    z->w0 = x->w0 >> 1 | x->w1 << 31;
    z->w1 = x->w1 >> 1 | x->w2 << 31;
    z->w2 = x->w2 >> 1 | x->w3 << 31;
    z->w3 = x->w3 >> 1 | (uint32_t)top << 31;
}

/* 1 if x < y, else 0. */
static int less(const nat *x, const nat *y)
{
    if (x->w3 != y->w3)
        return x->w3 < y->w3;
    if (x->w2 != y->w2)
        return x->w2 < y->w2;
    if (x->w1 != y->w1)
        return x->w1 < y->w1;
    return x->w0 < y->w0;
}

#endif
