#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    register nat z = 0, s;
    nat y_0 = y & 1, i;
    register nat xi, q, top = 0;

    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i++) {
        xi = x >> i & 1;
        q = (z & 1) ^ (xi & y_0);
        s = xi * y;
        z += s;
        top += z < s;
        s = q * n;
        z += s;
        top += z < s;
        z = z >> 1 | top << 63;
        top >>= 1;
    }
    if (top || z >= n)
        z -= n;
    return z;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n)));
}

/* Square and multiply, right to left.
 * Invariant at the top of round i, r and p being in the Montgomery domain: p R^-1 = x^(2^i) and
 * r R^-1 = x^(e mod 2^i), both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat k = load(e), n = load(m->n), rr = load(m->rr);
    nat r = mmm(1, rr, n), p = mmm(load(x), rr, n);
    nat i;

    for (i = 0; i < WIDTH; i++) {
        if (k >> i & 1)
            r = mmm(r, p, n);
        p = mmm(p, p, n);
    }
    store(z, mmm(r, 1, n));
}
