#include "nat.h"

/* z := x y R^-1 mod n.  Needs y < n and x < R.  z is none of x, y and n. */
static void mmm(nat z, const nat x, const nat y, const nat n)
{
    nat s;
    uint64_t i, xi, q, top = 0;

    set(z, 0);
    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i++) {
        shr(s, x, i);
        xi = odd(s);
        q = odd(z) ^ (xi & odd(y));
        if (xi) {
            add(z, z, y);
            top += less(z, y);
        }
        if (q) {
            add(z, z, n);
            top += less(z, n);
        }
        halve(z, z, top);
        top >>= 1;
    }
    if (top || !less(z, n))
        sub(z, z, n);
}

/* z := x y mod n: into the Montgomery domain, one product there, and out again.
 * Needs x < n and y < n.  z may be x or y. */
static void mod_mul(nat z, const nat x, const nat y, const nat n, const nat rr)
{
    nat one, xr, yr, zr;

    set(one, 1);
    mmm(xr, x, rr, n);
    mmm(yr, y, rr, n);
    mmm(zr, xr, yr, n);
    mmm(z, one, zr, n);
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    nat a, b, n, t;

    load(a, x);
    load(b, y);
    load(n, m->n);
    mmm(t, a, b, n);
    store(z, t);
}

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) and r = x^(e mod 2^i), both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat k, n, rr, s, p, r;
    uint64_t i;

    load(p, x);
    load(k, e);
    set(r, 1);
    load(n, m->n);
    load(rr, m->rr);
    for (i = 0; i < WIDTH; i++) {
        shr(s, k, i);
        if (odd(s))
            mod_mul(r, r, p, n, rr);
        mod_mul(p, p, p, n, rr);
    }
    store(z, r);
}
