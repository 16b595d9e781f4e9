/* Two powers at once for BN_mod_exp_mont_consttime_x2: studies/width-1024/lanes in the place of two calls of
 * BN_mod_exp_mont_consttime.  A core without NEON, or numbers that pairs cannot hold, keep those calls. */
#include "bn_lanes.h"

#ifdef LANES_DO_NOT_FIT
#include "bn_local.h"
#include "lanes/digits.c"
#include "lanes/exponent.c"

struct work {
    struct modulus p, q;
    struct pair_modulus m;
    struct pair x, table[TABLE_PAIRS];
    uint32_t a[2][MAX_LIMBS], d[2][MAX_LIMBS];
};

/* The limbs of x, and zeros above them. */
static void copy(uint32_t *to, const BIGNUM *x)
{
    memset(to, 0, MAX_LIMBS * sizeof *to);
    memcpy(to, x->d, (size_t)x->top * sizeof *to);
}

static void set_modulus(struct modulus *to, const BIGNUM *m, const BN_MONT_CTX *mont)
{
    to->limbs = (uint32_t)m->top;
    to->n0inv = (uint32_t)mont->n0[0];
    copy(to->n, m);
    copy(to->rr, &mont->RR);
}

static int fits(const BIGNUM *a, const BIGNUM *d, const BIGNUM *m, const BN_MONT_CTX *mont)
{
    return mont != NULL && mont->RR.top <= m->top && d->top <= m->top && !a->neg && !d->neg &&
           BN_ucmp(a, m) < 0;
}

static int set_result(BIGNUM *z, const struct work *w, uint32_t lane)
{
    const struct modulus *n = lane == 0 ? &w->p : &w->q;
    if (bn_wexpand(z, (int)n->limbs) == NULL)
        return 0;
    pair_get((uint32_t *)z->d, &w->x, lane, n, &w->m);
    z->top = (int)n->limbs;
    z->neg = 0;
    bn_correct_top(z);
    return 1;
}

/* Has a frame of its own, which bn_mod_exp_lanes overwrites. */
static __attribute__((noinline)) int both_powers(BIGNUM *z1, const BIGNUM *a1, const BIGNUM *d1,
                                                 const BIGNUM *m1, const BN_MONT_CTX *mont1,
                                                 BIGNUM *z2, const BIGNUM *a2, const BIGNUM *d2,
                                                 const BIGNUM *m2, const BN_MONT_CTX *mont2)
{
    const uint32_t h = (uint32_t)m1->top;
    struct work *w = OPENSSL_zalloc(sizeof *w);
    if (w == NULL)
        return 0;
    set_modulus(&w->p, m1, mont1);
    set_modulus(&w->q, m2, mont2);
    copy(w->a[0], a1);
    copy(w->a[1], a2);
    copy(w->d[0], d1);
    copy(w->d[1], d2);
    pair_prepare(&w->m, &w->p, &w->q);
    pair_set(&w->x, 0, w->a[0], h, &w->m);
    pair_set(&w->x, 1, w->a[1], h, &w->m);
    pair_mul(&w->x, &w->x, &w->m.rr, &w->m);
    pair_exp(&w->x, &w->x, w->d[0], w->d[1], h, &w->m, w->table);
    pair_leave(&w->x, &w->x, &w->m);
    int done = set_result(z1, w, 0) && set_result(z2, w, 1);
    OPENSSL_clear_free(w, sizeof *w);
    return done;
}

int bn_mod_exp_lanes(BIGNUM *z1, const BIGNUM *a1, const BIGNUM *d1, const BIGNUM *m1,
                     const BN_MONT_CTX *mont1, BIGNUM *z2, const BIGNUM *a2, const BIGNUM *d2,
                     const BIGNUM *m2, const BN_MONT_CTX *mont2)
{
    const int h = m1->top;
    if (!(OPENSSL_armcap_P & ARMV7_NEON) || m2->top != h || h < MIN_LIMBS || h > MAX_LIMBS ||
        !fits(a1, d1, m1, mont1) || !fits(a2, d2, m2, mont2))
        return LANES_DO_NOT_FIT;
    int done = both_powers(z1, a1, d1, m1, mont1, z2, a2, d2, m2, mont2);
    pair_forget(PAIR_DEPTH);
    return done;
}
#endif
