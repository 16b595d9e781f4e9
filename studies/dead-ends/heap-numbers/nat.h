/* A number below 2^128 is held in four 32-bit limbs, x[0] the lowest, in a cell of a heap: take()
 * finds a free cell, give() hands it back.  Operands and results go through pointers, and loops
 * index the limbs.  Every limb is full, so a carry out of the top limb has no place here: less()
 * finds it, because x + y mod 2^128 < y exactly when x + y >= 2^128.  z may be any operand.
 * Branches and loops depend on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "shr() takes limbs in steps of two and one");

typedef uint32_t nat[LIMBS];

#define CELLS 16 /* mod_exp, mod_mul and mmm hold twelve at most */

/* The lowest limb of a free cell is the index of the next free one; CELLS ends the list. */
struct heap {
    nat cell[CELLS];
    uint32_t free;
};

/* Every cell becomes free. */
static void empty(struct heap *h)
{
    uint32_t i;

    for (i = 0; i < CELLS; i++)
        h->cell[i][0] = i + 1;
    h->free = 0;
}

/* A cell that was free.  Needs one. */
static uint32_t *take(struct heap *h)
{
    uint32_t *x = h->cell[h->free];

    h->free = x[0];
    return x;
}

/* The cell of x becomes free. */
static void give(struct heap *h, nat x)
{
    uint32_t i = (uint32_t)((nat *)x - h->cell);

    x[0] = h->free;
    h->free = i;
}

/* z := x, from limbs. */
static void load(nat z, const uint32_t x[LIMBS])
{
    int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], const nat x)
{
    int i;

    for (i = 0; i < LIMBS; i++)
        z[i] = x[i];
}

/* z := k. */
static void set(nat z, uint32_t k)
{
    int i;

    z[0] = k;
    for (i = 1; i < LIMBS; i++)
        z[i] = 0;
}

/* x mod 2. */
static int odd(const nat x)
{
    return x[0] & 1;
}

/* z := x + y mod 2^128. */
static void add(nat z, const nat x, const nat y)
{
    uint64_t s = 0;
    int i;

    for (i = 0; i < LIMBS; i++) {
        s = (s >> 32) + x[i] + y[i];
        z[i] = (uint32_t)s;
    }
}

/* z := x - y mod 2^128. */
static void sub(nat z, const nat x, const nat y)
{
    uint64_t s = 0;
    int i;

    for (i = 0; i < LIMBS; i++) {
        s = (uint64_t)x[i] - y[i] - (s >> 63);
        z[i] = (uint32_t)s;
    }
}

/* z := floor(x / 2^k).  Needs k < 128. */
static void shr(nat z, const nat x, int k)
{
    int i;

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
static void halve(nat z, const nat x, int top)
{
    int i;

    for (i = 0; i < LIMBS - 1; i++)
        z[i] = x[i] >> 1 | x[i + 1] << 31;
    z[i] = x[i] >> 1 | (uint32_t)top << 31;
}

/* 1 if x < y, else 0. */
static int less(const nat x, const nat y)
{
    int i;

    for (i = LIMBS - 1; i > 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i];
    return x[0] < y[0];
}

#endif
