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
    uint32_t levels;        /* of Karatsuba's method in a product; k is a multiple of 2^levels */
    uint32_t squares;       /* 1: a square is computed as such; 0: as a product */
    uint32_t n[MAX_LIMBS];  /* odd, 3 <= n < R: the full width */
    uint32_t rr[MAX_LIMBS]; /* R^2 mod n */
};

/* z := x + y, z := x - y.   The carry or the borrow, 0 or 1, is returned.   z may be x or y. */
uint32_t add(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k);
uint32_t subtract(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k);

/* z := x - (y & mask), limb by limb masked.   The borrow is returned.   z may be x or y. */
uint32_t subtract_masked(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k,
                         uint32_t mask);

/* t[0..2k) := x y.   t is neither x nor y; x may be y. */
void multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k);

/* t[0..2k) := x^2.   t is not x. */
void square(uint32_t *t, const uint32_t *x, uint32_t k);

/* z[0..k) := t R^-1 mod n.   Needs t[0..2k) < n R, and spoils it.   z is not in t. */
void reduce(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k);

/* The same for any t, with z < R instead of z < n.   Saves a comparison: the least z is not needed
 * between two products. */
void reduce_lazily(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k);

/* z := the number `index` of a table of `count` numbers, all of which are read.   The table holds
 * four limbs of every number, then the next four: limb j of number i is table[4 (count (j / 4) + i) +
 * j % 4].   count is even and 64 at most, index < count.   z and the table have room for k rounded up
 * to a multiple of 4. */
void choose(uint32_t *z, const uint32_t *table, uint32_t count, uint32_t index, uint32_t k);

/* The same two products by that many levels of Karatsuba's method above them.   Needs k to be a
 * multiple of 2^levels, and levels <= 4. */
void karatsuba_multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k,
                        uint32_t levels);
void karatsuba_square(uint32_t *t, const uint32_t *x, uint32_t k, uint32_t levels);

/* z := x y R^-1 mod n, z := x^2 R^-1 mod n.   Needs x y < n R, guaranteed if x < n and y < n.
 * z may be x or y. */
void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m);
void mont_sqr(uint32_t *z, const uint32_t *x, const struct modulus *m);

/* z := x y R^-1 mod n, and z := x^(2^times) R^(1 - 2^times) mod n, with x, y and z < R only. */
void lazy_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m);
void lazy_sqr(uint32_t *z, const uint32_t *x, uint32_t times, const struct modulus *m);

/* z := x^e mod n.   Needs x < n; e has `bits` bits, leading zeros included.   z may be x.
 * BINARY has a branch on each bit of e, and SLIDING on its bits and an address that depends on them.
 * FIXED has neither: it reads its whole table for each window.   1 <= window <= MAX_WINDOW, or 0: the one
 * that a cost model chooses for the number of bits. */
enum method { BINARY, FIXED, SLIDING };
#define MAX_WINDOW 6
void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
             const struct modulus *m, enum method method, uint32_t window);

/* An RSA key's private half, for the Chinese remainder theorem: k limbs of n, k / 2 of the others. */
struct private_key {
    struct modulus n, p, q;       /* n = p q, q < p */
    uint32_t dp[MAX_LIMBS / 2];   /* d mod (p - 1) */
    uint32_t dq[MAX_LIMBS / 2];   /* d mod (q - 1) */
    uint32_t qinv[MAX_LIMBS / 2]; /* q^-1 R mod p, with R = 2^(16 k) */
    uint32_t e[2];                /* what the result is verified with */
};

/* z := x^d mod n, by its halves modulo p and q.   Needs x < n.   z is not x.   Returns 1, or 0 and
 * z = 0 when z^e mod n is not x: a wrong half would tell the factors of n. */
uint32_t private_crt(uint32_t *z, const uint32_t *x, const struct private_key *key,
                     enum method method, uint32_t window);

#endif
