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
    uint32_t n[2 * MAX_LIMBS]; /* p q; 2 h limbs */
    uint32_t e;                /* what the result is verified with; odd */
};

/* What private_lanes returns.   Only PRIVATE_DONE leaves a result; all others but PRIVATE_BAD_SIZE and
 * PRIVATE_BAD_PLACE, which write nothing, leave z = 0. */
enum private_status {
    PRIVATE_WITHHELD, /* z^e is not x: a wrong half would tell the factors of n */
    PRIVATE_DONE,     /* z = x^d mod n */
    PRIVATE_BAD_SIZE, /* p and q have different numbers of limbs, or fewer than MIN_LIMBS, or more than
                            MAX_LIMBS, or `levels` that nat.h does not allow */
    PRIVATE_BAD_PLACE,   /* z overlaps x or the key, or a pointer is NULL */
    PRIVATE_BAD_MESSAGE, /* x >= n */
    PRIVATE_BAD_KEY /* e is even, or the numbers belong to no key: unless p and q are odd, 3 at least and
                            have no factor in common, n = p q, qinv < p is q^-1, and n0inv and rr are right */
};

/* z := x^d mod n, for 2 h limbs of x and z.   All that it needs is checked before anything is computed.   Sizes
 * and places are public; of the message and the key a trace tells only whether they are valid, and not which
 * number is wrong.   Whether p and q are primes, and dp and dq belong to e, z^e = x has to show.   Nothing of the
 * key stays on the stack. */
enum private_status private_lanes(uint32_t *z, const uint32_t *x, const struct pair_key *key);

#endif
