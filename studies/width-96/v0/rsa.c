#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    nat z = set(0);
    uint32_t q, top = 0;
    int i;

    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i++) {
        q = (low(z) ^ (low(rshift(x, i)) & low(y))) & 1;
        if (low(rshift(x, i)) & 1) {
            z = add(z, y);
            top += less(z, y);
        }
        if (q) {
            z = add(z, n);
            top += less(z, n);
        }
        z = put_top(rshift(z, 1), top);
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

/* Square and multiply, right to left, in the Montgomery domain.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat n = load(m->n), rr = load(m->rr), k = load(e);
    nat p = mmm(load(x), rr, n), r = mmm(set(1), rr, n);
    int i, length = bits(k);

    for (i = 0; i < length; i++) {
        if (low(rshift(k, i)) & 1)
            r = mmm(r, p, n);
        p = mmm(p, p, n);
    }
    store(z, mmm(set(1), r, n));
}
