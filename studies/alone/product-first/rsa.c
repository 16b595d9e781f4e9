#include "nat.h"

/* z := (z + d y) div 2^32, and the limb below it.  z + d y < 2^160. */
static inline uint32_t add_row(nat *z, uint32_t d, nat y)
{
    uint32_t top = add_multiple(z, d, y), low = z->w0;

    *z = next_limb(*z, top);
    return low;
}

/* With t = top R + z: z := (t + q n) / 2^32 mod R, and what is above it, (t + q n) / 2^160.  The
 * digit q makes t + q n a multiple of 2^32.  Needs top <= 2^32. */
static inline uint64_t reduce(nat *z, uint64_t top, nat n, uint32_t n0inv)
{
    top += add_multiple(z, z->w0 * n0inv, n);
    *z = next_limb(*z, (uint32_t)top);
    return top >> 32;
}

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n, uint32_t n0inv)
{
    nat z = set(0), low;
    register uint64_t top;

    /* Invariant after k lines: z 2^(32 k) + (low mod 2^(32 k)) = (x mod 2^(32 k)) y, z < y. */
    low.w0 = add_row(&z, x.w0, y);
    low.w1 = add_row(&z, x.w1, y);
    low.w2 = add_row(&z, x.w2, y);
    low.w3 = add_row(&z, x.w3, y);

    /* Invariant after k lines: 2^(32 k) ((z div 2^(32 k)) R + top R + low) = x y (mod n).  At the
     * end top R + low = (x y + q n) / R < y + n, because x < R and q < R, so top <= 1. */
    top = reduce(&low, z.w0, n, n0inv);
    top = reduce(&low, top + z.w1, n, n0inv);
    top = reduce(&low, top + z.w2, n, n0inv);
    top = reduce(&low, top + z.w3, n, n0inv);
    if (top || !less(low, n))
        low = sub(low, n);
    return low;
}

/* y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static nat mmm_1(nat y, nat n, uint32_t n0inv)
{
    /* Invariant after k lines, with y_0 the operand: 2^(32 k) y = y_0 (mod n) and y < n, so that
     * the limb above y is 0. */
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    return y;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n), m->n0inv));
}

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n.  The lowest
 * bit of limb is bit i of e. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat n = load(m->n), rr = load(m->rr), p, r;
    uint32_t n0inv = m->n0inv;
    register uint32_t limb = 0;
    register int i;

    p = mmm(load(x), rr, n, n0inv);
    r = mmm_1(rr, n, n0inv);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        if (limb & 1)
            r = mmm(r, p, n, n0inv);
        p = mmm(p, p, n, n0inv);
    }
    store(z, mmm_1(r, n, n0inv));
}
