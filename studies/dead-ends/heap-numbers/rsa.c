#include "nat.h"

/* z := x y R^-1 mod n.  Needs y < n and x < R.  z is none of x, y and n. */
static void mmm(nat z, const nat x, const nat y, const nat n, struct heap *h)
{
    uint32_t *s = take(h);
    int i, xi, q, top = 0;

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
    give(h, s);
}

/* z := x y mod n: into the Montgomery domain, one product there, and out again.
 * Needs x < n and y < n.  z may be x or y. */
static void mod_mul(nat z, const nat x, const nat y, const nat n, const nat rr, struct heap *h)
{
    uint32_t *one = take(h), *xr = take(h), *yr = take(h), *zr = take(h);

    set(one, 1);
    mmm(xr, x, rr, n, h);
    mmm(yr, y, rr, n, h);
    mmm(zr, xr, yr, n, h);
    mmm(z, one, zr, n, h);
    give(h, zr);
    give(h, yr);
    give(h, xr);
    give(h, one);
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    struct heap h;
    uint32_t *a, *b, *n, *t;

    empty(&h);
    a = take(&h);
    b = take(&h);
    n = take(&h);
    t = take(&h);
    load(a, x);
    load(b, y);
    load(n, m->n);
    mmm(t, a, b, n, &h);
    store(z, t);
}

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) and r = x^(e mod 2^i), both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    struct heap h;
    uint32_t *k, *n, *rr, *s, *p, *r;
    int i;

    empty(&h);
    k = take(&h);
    n = take(&h);
    rr = take(&h);
    s = take(&h);
    p = take(&h);
    r = take(&h);
    load(p, x);
    load(k, e);
    set(r, 1);
    load(n, m->n);
    load(rr, m->rr);
    for (i = 0; i < WIDTH; i++) {
        shr(s, k, i);
        if (odd(s))
            mod_mul(r, r, p, n, rr, &h);
        mod_mul(p, p, p, n, rr, &h);
    }
    store(z, r);
}
