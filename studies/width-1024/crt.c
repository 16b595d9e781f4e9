/* The private operation by the Chinese remainder theorem (Quisquater and Couvreur 1982), with Garner's
 * recombination, and verified before it leaves (Boneh, DeMillo and Lipton 1997). */
#include "nat.h"
#include <string.h>

/* z := x^d mod p for one half: x has twice as many limbs as p, and d as many. */
static void half(uint32_t *z, const uint32_t *x, const uint32_t *d, const struct modulus *p,
                 enum method method, uint32_t window)
{
    uint32_t t[2 * MAX_LIMBS];
    memcpy(t, x, 2 * p->limbs * sizeof *t);
    reduce(z, t, p->n, p->n0inv, p->limbs); /* x R^-1 mod p: x < n = p q < p R */
    mont_mul(z, z, p->rr, p);
    mod_exp(z, z, d, 32 * p->limbs, p, method, window);
}

uint32_t private_crt(uint32_t *z, const uint32_t *x, const struct private_key *key,
                     enum method method, uint32_t window)
{
    uint32_t k = key->n.limbs, h = k / 2, wrong = 0;
    uint32_t zp[MAX_LIMBS / 2], zq[MAX_LIMBS / 2], again[MAX_LIMBS];
    half(zp, x, key->dp, &key->p, method, window);
    half(zq, x, key->dq, &key->q, method, window);

    /* z = zq + q ((zp - zq) q^-1 mod p).  zq < q < p, so one addition of p is enough. */
    uint32_t borrow = subtract(zp, zp, zq, h);
    uint32_t less[MAX_LIMBS / 2] = {0};
    subtract_masked(less, less, key->p.n, h, 0 - borrow);
    subtract(zp, zp, less, h);
    mont_mul(zp, zp, key->qinv, &key->p);
    multiply(z, zp, key->q.n, h);
    uint32_t carry = add(z, z, zq, h);
    for (uint32_t i = h; i < k; i++) {
        z[i] += carry;
        carry = z[i] < carry;
    }

    mod_exp(again, z, key->e, 64, &key->n, BINARY, 1);
    for (uint32_t i = 0; i < k; i++)
        wrong |= again[i] ^ x[i];
    if (wrong != 0)
        memset(z, 0, k * sizeof *z);
    return wrong == 0;
}
