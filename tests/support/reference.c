/* The contract as plainly as it can be met: the snapshot that tests/ladder/test_mutants.py breaks on
 * purpose.  -DDIGIT=32 takes a limb of x a round, -DDIGIT=1 a bit. */
#include "snapshot.h"

#ifndef DIGIT
#define DIGIT 1
#endif
#define DIGIT_MASK (0xffffffffU >> (32 - DIGIT))

static int at_least(const uint32_t t[LIMBS], const uint32_t n[LIMBS])
{
    for (int j = LIMBS - 1; j >= 0; j--)
        if (t[j] != n[j])
            return t[j] > n[j];
    return 1;
}

static void subtract(uint32_t t[LIMBS], const uint32_t n[LIMBS])
{
    uint32_t borrow = 0;
    for (int j = 0; j < LIMBS; j++) {
        uint32_t limb = t[j];
        t[j] = limb - n[j] - borrow;
        borrow = limb < n[j] || (limb == n[j] && borrow);
    }
}

/* t := t + digit y.  A column is at most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
static void add_product(uint32_t t[LIMBS + 2], uint32_t digit, const uint32_t y[LIMBS])
{
    uint64_t carry = 0;
    for (int j = 0; j < LIMBS; j++) {
        carry += (uint64_t)digit * y[j] + t[j];
        t[j] = (uint32_t)carry;
        carry >>= 32;
    }
    carry += t[LIMBS];
    t[LIMBS] = (uint32_t)carry;
    t[LIMBS + 1] += (uint32_t)(carry >> 32);
}

/* t := t / 2^DIGIT.  Needs t divisible by 2^DIGIT; the quotient is below 2 n, so a limb shorter. */
static void shift_digit(uint32_t t[LIMBS + 2])
{
    for (int j = 0; j <= LIMBS; j++)
        t[j] = (uint32_t)(((uint64_t)t[j + 1] << 32 | t[j]) >> DIGIT);
    t[LIMBS + 1] = 0;
}

/* Invariant at the top of round i: t = x[0..i) y 2^-i (mod n), 0 <= t < 2 n. */
void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t t[LIMBS + 2] = {0};
    for (int i = 0; i < WIDTH; i += DIGIT) {
        add_product(t, x[i / 32] >> i % 32 & DIGIT_MASK, y);
        add_product(t, t[0] * m->n0inv & DIGIT_MASK, m->n);
        shift_digit(t);
    }
    if (t[LIMBS] != 0 || at_least(t, m->n))
        subtract(t, m->n);
    for (int j = 0; j < LIMBS; j++)
        z[j] = t[j];
}

/* Right to left.  Invariant at the top of round i: a = x^e[0..i) R, p = x^(2^i) R (mod n). */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    const uint32_t one[LIMBS] = {1};
    uint32_t a[LIMBS];
    uint32_t p[LIMBS];
    mont_mul(p, x, m->rr, m);
    mont_mul(a, one, m->rr, m);
    for (int i = 0; i < WIDTH; i++) {
        if (e[i / 32] >> i % 32 & 1)
            mont_mul(a, a, p, m);
        mont_mul(p, p, p, m);
    }
    mont_mul(z, a, one, m);
}
