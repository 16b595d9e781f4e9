#include "nat.h"

/* y where mask is 2^32 - 1, x where it is 0. */
static nat select(nat x, nat y, uint32_t mask)
{
    x.w0 ^= (x.w0 ^ y.w0) & mask;
    x.w1 ^= (x.w1 ^ y.w1) & mask;
    x.w2 ^= (x.w2 ^ y.w2) & mask;
    x.w3 ^= (x.w3 ^ y.w3) & mask;
    return x;
}

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    nat z = set(0);
    register uint32_t limb;
    register int i, j, xi, q, top = 0;

    /* Invariant after k rounds: with t = top R + z, 2^k t = (x mod 2^k) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3.  The lowest bit of limb,
     * once loaded, is bit k of the operand x, of which x keeps the limbs above. */
    for (j = 0; j < LIMBS; j++) {
        limb = x.w0;
        x = shr(x, 32);
        for (i = 0; i < 32; i++) {
            xi = limb & 1;
            limb >>= 1;
            q = odd(z) ^ (xi & odd(y));
            if (xi) {
                z = add(z, y);
                top += less(z, y);
            }
            if (q) {
                z = add(z, n);
                top += less(z, n);
            }
            z = halve(z, top);
            top >>= 1;
        }
    }
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

/* y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static nat mmm_1(nat y, nat n)
{
    register int i, top;

    /* Invariant at the top of round i, with y_0 the operand: 2^i y = y_0 (mod n) and y < n. */
    for (i = 0; i < WIDTH; i++) {
        top = 0;
        if (odd(y)) {
            y = add(y, n);
            top = less(y, n);
        }
        y = halve(y, top);
    }
    return y;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n)));
}

/* Square and always multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n.  The lowest
 * bit of limb is bit i of e; the product r p is made in every round and kept where it is 1. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat n = load(m->n), rr = load(m->rr), p, r;
    register uint32_t limb = 0;
    register int i;

    p = mmm(load(x), rr, n);
    r = mmm_1(rr, n);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        r = select(r, mmm(r, p, n), -(limb & 1));
        p = mmm(p, p, n);
    }
    store(z, mmm_1(r, n));
}
