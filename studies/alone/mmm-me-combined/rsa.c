#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    nat z = set(0);
    register int i, xi, q, top = 0;

    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i++) {
        xi = odd(shr(x, i));
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
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n)));
}

/* Square and multiply, right to left; every product goes into the Montgomery domain and out again,
 * and the two of a round share their operand p there.
 * Invariant at the top of round i: p = x^(2^i) and r = x^(e mod 2^i), both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat p = load(x), k = load(e), n = load(m->n), rr = load(m->rr), r = set(1), pr;
    register int i;

    for (i = 0; i < WIDTH; i++) {
        pr = mmm(p, rr, n);
        if (odd(shr(k, i)))
            r = mmm(set(1), mmm(mmm(r, rr, n), pr, n), n);
        p = mmm(set(1), mmm(pr, pr, n), n);
    }
    store(z, r);
}
