/* The contract of this study: natural numbers whose size is known at run time only.
 *
 * A number is an array of k limbs of 32 bits, the lowest first, 1 <= k <= MAX_LIMBS; arrays have four
 * bytes of alignment and no more.  R = 2^(32 k).  No function keeps state, calls anything but the
 * compiler's own run-time and memcpy, or has a branch or an address that depends on a limb; where
 * one does (mod_exp_*), its comment says on what. */
#ifndef NAT_H
#define NAT_H

#include <stdint.h>

#define MAX_LIMBS 64

struct modulus {
    uint32_t limbs;         /* k */
    uint32_t n0inv;         /* -n^-1 mod 2^32 */
    uint32_t n[MAX_LIMBS];  /* odd, 3 <= n < R: the full width */
    uint32_t rr[MAX_LIMBS]; /* R^2 mod n */
};

/* t[0..2k) := x y.   t is neither x nor y; x may be y. */
void multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k);

/* t[0..2k) := x^2.   t is not x. */
void square(uint32_t *t, const uint32_t *x, uint32_t k);

/* z[0..k) := t R^-1 mod n.   Needs t[0..2k) < n R, and spoils it.   z is not in t. */
void reduce(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k);

/* z := x y R^-1 mod n, z := x^2 R^-1 mod n.   Needs x < n and y < n.   z may be x or y. */
void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m);
void mont_sqr(uint32_t *z, const uint32_t *x, const struct modulus *m);

#endif
