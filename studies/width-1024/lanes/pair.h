/* Pairs: two numbers side by side, one in each lane of the vector registers.
 *
 * Lane 0 is computed modulo p, lane 1 modulo q; no carry ever leaves its lane.  A number is K digits of w bits,
 * the lowest first; R = 2^(w K).  In signed.S and square.S w is DIGIT_BITS, and a digit is between -2^(w-1) and
 * 2^(w-1); a product needs |x y| <= 2^-5 n R and gives |z| < 54/100 n, which is small enough for the next one.
 * README.md has the bounds.
 * nat.h's rules hold here, too: no function keeps state, or has a branch or an address that depends on a digit
 * or a limb. */
#ifndef PAIR_H
#define PAIR_H

#include "../nat.h"
#include "names.h"

#ifdef __ARMEB__
#error "NEON loads the words of a pair in the order of a little-endian core"
#endif

#define MAX_DIGITS 76 /* of which 72 are used for numbers of 64 limbs, six groups of twelve */
#define MIN_LIMBS 9   /* of p and q: pair_prepare needs 4 s + 5 <= w K */
#define DIGIT_BITS 29
#define SHORT_DIGITS 60 /* more digits would overflow a column, unless it carries once more */

struct pair {
    uint32_t digit[MAX_DIGITS][2]; /* in two's complement */
};

struct pair_modulus {
    uint32_t n0inv[2]; /* -n^-1 mod 2^w, times 2^(32 - w) */
    uint32_t bytes;    /* 8 K; K is a multiple of 4 from blocks.S on */
    struct pair n;
    struct pair rr;  /* R^2 mod n */
    struct pair one; /* R mod n */
};

/* z := x y R^-1 and z := x^2 R^-1, modulo both.   z may be x or y. */
void pair_mul(struct pair *z, const struct pair *x, const struct pair *y,
              const struct pair_modulus *m);
void pair_sqr(struct pair *z, const struct pair *x, const struct pair_modulus *m);

/* The same for at most SHORT_DIGITS digits, and for more: square.S, assembled twice. */
void pair_mul_short(struct pair *z, const struct pair *x, const struct pair *y,
                    const struct pair_modulus *m);
void pair_mul_long(struct pair *z, const struct pair *x, const struct pair *y,
                   const struct pair_modulus *m);
void pair_sqr_short(struct pair *z, const struct pair *x, const struct pair_modulus *m);
void pair_sqr_long(struct pair *z, const struct pair *x, const struct pair_modulus *m);

/* Bits [i, i + count) of x, count < 32; bits beyond its k limbs are 0. */
uint32_t pair_bits(const uint32_t *x, uint32_t k, uint32_t i, uint32_t count);

/* One lane of z := x, which has k limbs, in digits; and back, 0 <= x < n, for a z that a product has given. */
void pair_set(struct pair *z, uint32_t lane, const uint32_t *x, uint32_t k,
              const struct pair_modulus *m);
void pair_get(uint32_t *x, const struct pair *z, uint32_t lane, const struct modulus *n,
              const struct pair_modulus *m);

/* z := x R^-1: out of the Montgomery domain.   z may be x. */
void pair_leave(struct pair *z, const struct pair *x, const struct pair_modulus *m);

/* What products modulo p and q need.   p and q have the same number of limbs, MIN_LIMBS to
 * MAX_LIMBS. */
void pair_prepare(struct pair_modulus *m, const struct modulus *p, const struct modulus *q);

/* z := table[i] in lane 0, table[j] in lane 1.   All `count` pairs are read, a multiple of 4. */
void pair_choose(struct pair *z, const struct pair *table, uint32_t i, uint32_t j, uint32_t count,
                 uint32_t bytes);

/* z := x^dp R modulo p, x^dq R modulo q, for x R; dp and dq have h limbs.   z may be x. */
#define TABLE_PAIRS 32
void pair_exp(struct pair *z, const struct pair *x, const uint32_t *dp, const uint32_t *dq,
              uint32_t h, const struct pair_modulus *m, struct pair table[TABLE_PAIRS]);

/* Overwrites the `bytes` bytes below the stack pointer, a multiple of 64; PAIR_DEPTH are as many as any function
 * above uses, compiled at any level. */
#define PAIR_DEPTH 4096
void pair_forget(uint32_t bytes);

/* A private key.   p and q in any order, with h limbs each; one may have leading zeros. */
struct pair_key {
    struct modulus p, q;
    uint32_t dp[MAX_LIMBS];    /* d mod (p - 1) */
    uint32_t dq[MAX_LIMBS];    /* d mod (q - 1) */
    uint32_t qinv[MAX_LIMBS];  /* q^-1 2^(32 h) mod p */
    uint32_t n[2 * MAX_LIMBS]; /* p q */
    uint32_t e;                /* what the result is verified with; odd */
};

/* z := x^d mod p q.   Needs x < p q.   z is not x.   Returns 1, or 0 and z = 0 where z^e is not x: a wrong
 * half would tell the factors of n.   Nothing of the key stays on the stack. */
uint32_t private_lanes(uint32_t *z, const uint32_t *x, const struct pair_key *key);

#endif
