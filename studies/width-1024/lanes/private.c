/* The private operation of RSA: what it is given is checked, then both halves at once, one in each lane (Quisquater and Couvreur 1982),
 * Garner's recombination, and verified before it leaves (Boneh, DeMillo and Lipton 1997). */
#include "pair.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PRIVATE_DEPTH (32 * 1024) /* bytes of stack that verified_power uses, at any level */
#define MOST_LEVELS 4             /* of Karatsuba's method, see nat.h */

/* residue := x mod n, for x of 2 h limbs.   Needs x < n 2^(32 h). */
static void remainder_of(uint32_t *residue, const uint32_t *x, const struct modulus *n)
{
    uint32_t t[2 * MAX_LIMBS];
    memcpy(t, x, 2 * n->limbs * sizeof *t);
    reduce(residue, t, n->n, n->n0inv, n->limbs);
    mont_mul(residue, residue, n->rr, n);
}

/* x R modulo p and q, of the residues of x. */
static void enter(struct pair *z, const uint32_t *residue_p, const uint32_t *residue_q, uint32_t h,
                  const struct pair_modulus *m)
{
    struct pair residues;
    pair_set(&residues, 0, residue_p, h, m);
    pair_set(&residues, 1, residue_q, h, m);
    pair_mul(z, &residues, &m->rr, m);
}

/* z R^-1, in limbs. */
static void leave(uint32_t *z_p, uint32_t *z_q, const struct pair *z, const struct pair_key *key,
                  const struct pair_modulus *m)
{
    struct pair result;
    pair_leave(&result, z, m);
    pair_get(z_p, &result, 0, &key->p, m);
    pair_get(z_q, &result, 1, &key->q, m);
}

/* z := z_q + q ((z_p - z_q) q^-1 mod p). */
static void recombine(uint32_t *z, const uint32_t *z_p, const uint32_t *z_q,
                      const struct pair_key *key)
{
    const uint32_t h = key->p.limbs;
    uint32_t a[MAX_LIMBS], b[MAX_LIMBS], zero[MAX_LIMBS] = {0};
    mont_mul(a, z_p, key->qinv, &key->p);
    mont_mul(b, z_q, key->qinv, &key->p);
    uint32_t borrow = subtract(a, a, b, h);
    subtract_masked(b, zero, key->p.n, h, 0 - borrow);
    subtract(a, a, b, h);
    multiply(z, a, key->q.n, h);
    uint32_t carry = add(z, z, z_q, h);
    for (uint32_t i = h; i < 2 * h; i++) {
        z[i] += carry;
        carry = z[i] < carry;
    }
}

/* z := x^e R, for x R; e is public. */
static void public_power(struct pair *z, const struct pair *x, uint32_t e,
                         const struct pair_modulus *m)
{
    uint32_t bit = 31;
    while (bit > 0 && !(e >> bit & 1))
        bit--;
    *z = *x;
    while (bit-- > 0) {
        pair_sqr(z, z, m);
        if (e >> bit & 1)
            pair_mul(z, z, x, m);
    }
}

static uint32_t difference(const uint32_t *x, const uint32_t *y, uint32_t k)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < k; i++)
        found |= x[i] ^ y[i];
    return found;
}

/* 1 where x < y, else 0. */
static uint32_t is_below(const uint32_t *x, const uint32_t *y, uint32_t k)
{
    uint32_t borrow = 0;
    for (uint32_t i = 0; i < k; i++)
        borrow = (uint32_t)(((uint64_t)x[i] - y[i] - borrow) >> 63);
    return borrow;
}

/* Whether products can be computed with this modulus, of h limbs: levels of Karatsuba's method halve them. */
static bool has_size(const struct modulus *n, uint32_t h)
{
    return n->limbs == h && n->levels <= MOST_LEVELS && h % (1U << n->levels) == 0;
}

static bool are_apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first < second ? second - first >= a_bytes : first - second >= b_bytes;
}

/* 0 if n is odd, 3 at least, and has its own n0inv and rr.   No even n has an n0inv; and only for the right rr,
 * below n, is rr R^-2 = 1, which no number is modulo 1. */
static uint32_t is_no_modulus(const struct modulus *n)
{
    const uint32_t one[MAX_LIMBS] = {1};
    uint32_t t[MAX_LIMBS];
    mont_mul(t, n->rr, one, n);
    mont_mul(t, t, one, n);
    return (n->n[0] * n->n0inv + 1) | (1 - is_below(n->rr, n->n, n->limbs)) |
           difference(t, one, n->limbs);
}

/* 0 if the numbers are those of a key.   qinv R q R^-1 = 1 modulo p shows that p and q have no factor in common,
 * so that they are not equal, either. */
static uint32_t is_no_key(const struct pair_key *key)
{
    const uint32_t h = key->p.limbs, one[MAX_LIMBS] = {1};
    uint32_t t[MAX_LIMBS], n[2 * MAX_LIMBS];
    mont_mul(t, key->qinv, key->q.n, &key->p);
    multiply(n, key->p.n, key->q.n, h);
    return is_no_modulus(&key->p) | is_no_modulus(&key->q) | difference(t, one, h) |
           (1 - is_below(key->qinv, key->p.n, h)) | difference(n, key->n, 2 * h) | (~key->e & 1);
}

/* PRIVATE_DONE where all is as pair.h says.   Each number is looked at, whatever the others are. */
static __attribute__((noinline)) enum private_status checked(uint32_t *z, const uint32_t *x,
                                                             const struct pair_key *key)
{
    if (z == NULL || x == NULL || key == NULL)
        return PRIVATE_BAD_PLACE;
    const uint32_t h = key->p.limbs;
    if (h < MIN_LIMBS || h > MAX_LIMBS || !has_size(&key->p, h) || !has_size(&key->q, h))
        return PRIVATE_BAD_SIZE;
    const size_t bytes = 2 * h * sizeof *z;
    if (!are_apart(z, bytes, x, bytes) || !are_apart(z, bytes, key, sizeof *key))
        return PRIVATE_BAD_PLACE;
    uint32_t no_key = is_no_key(key), too_large = 1 - is_below(x, key->n, 2 * h);
    if (no_key == 0 && too_large == 0)
        return PRIVATE_DONE;
    memset(z, 0, bytes);
    return no_key != 0 ? PRIVATE_BAD_KEY : PRIVATE_BAD_MESSAGE;
}

/* 0 if z^e has the residues of x, and n is still p q.   The residues are computed again: a fault in those that
 * the powers began with would be in z, too. */
static uint32_t is_wrong(const uint32_t *z, const uint32_t *x, const struct pair_key *key,
                         const struct pair_modulus *m)
{
    const uint32_t h = key->p.limbs;
    uint32_t residue_p[MAX_LIMBS], residue_q[MAX_LIMBS];
    uint32_t again_p[MAX_LIMBS], again_q[MAX_LIMBS], n[2 * MAX_LIMBS];
    struct pair base, power;
    remainder_of(residue_p, x, &key->p);
    remainder_of(residue_q, x, &key->q);
    remainder_of(again_p, z, &key->p);
    remainder_of(again_q, z, &key->q);
    enter(&base, again_p, again_q, h, m);
    public_power(&power, &base, key->e, m);
    leave(again_p, again_q, &power, key, m);
    multiply(n, key->p.n, key->q.n, h);
    return difference(again_p, residue_p, h) | difference(again_q, residue_q, h) |
           difference(n, key->n, 2 * h);
}

/* private_lanes for what is checked, with a frame of its own. */
static __attribute__((noinline)) enum private_status verified_power(uint32_t *z, const uint32_t *x,
                                                                    const struct pair_key *key)
{
    const uint32_t h = key->p.limbs;
    struct pair_modulus m;
    struct pair power, table[TABLE_PAIRS];
    uint32_t residue_p[MAX_LIMBS], residue_q[MAX_LIMBS], z_p[MAX_LIMBS], z_q[MAX_LIMBS];
    pair_prepare(&m, &key->p, &key->q);
    remainder_of(residue_p, x, &key->p);
    remainder_of(residue_q, x, &key->q);
    enter(&power, residue_p, residue_q, h, &m);
    pair_exp(&power, &power, key->dp, key->dq, h, &m, table);
    leave(z_p, z_q, &power, key, &m);
    recombine(z, z_p, z_q, key);
    uint32_t wrong = is_wrong(z, x, key, &m);
    if (wrong != 0)
        memset(z, 0, 2 * h * sizeof *z);
    return wrong == 0 ? PRIVATE_DONE : PRIVATE_WITHHELD;
}

enum private_status private_lanes(uint32_t *z, const uint32_t *x, const struct pair_key *key)
{
    enum private_status status = checked(z, x, key);
    if (status == PRIVATE_DONE)
        status = verified_power(z, x, key);
    pair_forget(PRIVATE_DEPTH);
    return status;
}
