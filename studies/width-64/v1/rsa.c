#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    register nat z = 0, s;
    register unsigned y_0 = y & 1, i = WIDTH, xi, q, top = 0;

    /* Invariant after k rounds: with t = top R + z, 2^k t = (X mod 2^k) y (mod n) and
     * 0 <= t < y + n; X is the operand, and x = floor(X / 2^k).  So t + y + n < 4 R, and top never
     * passes 3. */
    while (i) {
        xi = x & 1;
        q = (z & 1) ^ (xi & y_0);
        s = xi * y;
        z += s;
        top += z < s;
        s = q * n;
        z += s;
        top += z < s;
        z = z >> 1 | (nat)top << 63;
        top >>= 1;
        x >>= 1;
        i--;
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
 * Invariant, r and p being in the Montgomery domain: (r R^-1) (p R^-1)^k = x^e (mod n).  It ends
 * when no bit of k is left. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat k = load(e), n = load(m->n), rr = load(m->rr);
    nat r = mmm(1, rr, n), p = mmm(load(x), rr, n);

    while (k) {
        if (k & 1)
            r = mmm(r, p, n);
        p = mmm(p, p, n);
        k >>= 1;
    }
    store(z, mmm(r, 1, n));
}
