/* A number below 2^128 is held in two 64-bit words, x[0] the lower, always in memory: operands and
 * results go through pointers, and loops index the words.  Every word is full, so a carry out of
 * the top word has no place here: less() finds it, because x + y mod 2^128 < y exactly when x + y
 * >= 2^128.  z may be any operand.  Branches and loops depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "two words of 64 bits");

typedef uint64_t nat[2];

/* z := x, from limbs. */
static void load(nat z, const uint32_t x[LIMBS])
{
    int i;

    for (i = 0; i < 2; i++)
        z[i] = (uint64_t)x[2 * i + 1] << 32 | x[2 * i];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], const nat x)
{
    int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = (uint32_t)(x[i / 2] >> 32 * (i % 2));
}

/* z := k. */
static void set(nat z, uint64_t k)
{
    z[0] = k;
    z[1] = 0;
}

/* x mod 2. */
static int odd(const nat x)
{
    return x[0] & 1;
}

/* z := x + y mod 2^128. */
static void add(nat z, const nat x, const nat y)
{
    uint64_t s;
    int i, carry = 0;

    for (i = 0; i < 2; i++) {
        s = x[i] + (uint64_t)carry;
        carry = s < (uint64_t)carry;
        s += y[i];
        carry += s < y[i];
        z[i] = s;
    }
}

/* z := x - y mod 2^128. */
static void sub(nat z, const nat x, const nat y)
{
    uint64_t s;
    int i, out, borrow = 0;

    for (i = 0; i < 2; i++) {
        s = x[i] - (uint64_t)borrow;
        out = x[i] < (uint64_t)borrow;
        out += s < y[i];
        z[i] = s - y[i];
        borrow = out;
    }
}

/* z := floor(x / 2^k).  Needs k < 128. */
static void shr(nat z, const nat x, int k)
{
    int i, word = k / 64, bit = k % 64;

    for (i = 0; i < 2; i++) {
        z[i] = i + word < 2 ? x[i + word] >> bit : 0;
        if (bit && i + word + 1 < 2)
            z[i] |= x[i + word + 1] << (64 - bit);
    }
}

/* z := floor((top 2^128 + x) / 2) mod 2^128. */
static void halve(nat z, const nat x, int top)
{
    shr(z, x, 1);
    z[1] |= (uint64_t)top << 63;
}

/* 1 if x < y, else 0. */
static int less(const nat x, const nat y)
{
    int i;

    for (i = 2; i-- > 0;)
        if (x[i] != y[i])
            return x[i] < y[i];
    return 0;
}

#endif
