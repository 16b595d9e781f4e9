/* From limbs to signed digits and back, and what a pair of moduli needs. */
#include "pair.h"
#include <string.h>

void pair_mul(struct pair *z, const struct pair *x, const struct pair *y,
              const struct pair_modulus *m)
{
    if (m->bytes <= 8 * SHORT_DIGITS)
        pair_mul_short(z, x, y, m);
    else
        pair_mul_long(z, x, y, m);
}

void pair_sqr(struct pair *z, const struct pair *x, const struct pair_modulus *m)
{
    if (m->bytes <= 8 * SHORT_DIGITS)
        pair_sqr_short(z, x, m);
    else
        pair_sqr_long(z, x, m);
}

uint32_t pair_bits(const uint32_t *x, uint32_t k, uint32_t i, uint32_t count)
{
    uint64_t two = 0;
    if (i / 32 < k)
        two = x[i / 32];
    if (i / 32 + 1 < k)
        two |= (uint64_t)x[i / 32 + 1] << 32;
    return (uint32_t)(two >> i % 32) & ((1U << count) - 1);
}

/* Invariant at digit i: x = the digits below i + 2^(w i) (carry + x / 2^(w i), rounded down). */
void pair_set(struct pair *z, uint32_t lane, const uint32_t *x, uint32_t k,
              const struct pair_modulus *m)
{
    const uint32_t w = DIGIT_BITS, half = 1U << (w - 1);
    uint32_t carry = 0;
    for (uint32_t i = 0; i < m->bytes / 8; i++) {
        uint32_t digit = pair_bits(x, k, w * i, w) + carry;
        carry = (digit + half) >> w;
        z->digit[i][lane] = digit - (carry << w);
    }
}

/* sum := z + n, which is positive, in h + 1 limbs.
 * Invariant at digit i: `waiting` holds the `bits` bits of the sum that fill no limb yet, and `carry` is what
 * the digits below i leave for digit i. */
static void add_modulus(uint32_t *sum, const struct pair *z, uint32_t lane,
                        const struct pair_modulus *m)
{
    const uint32_t w = DIGIT_BITS;
    uint64_t waiting = 0;
    uint32_t bits = 0;
    int32_t carry = 0;
    for (uint32_t i = 0; i < m->bytes / 8; i++) {
        int32_t digit = (int32_t)(z->digit[i][lane] + m->n.digit[i][lane]) + carry;
        carry = digit >> w;
        waiting |= (uint64_t)((uint32_t)digit & ((1U << w) - 1)) << bits;
        bits += w;
        if (bits >= 32) {
            *sum++ = (uint32_t)waiting;
            waiting >>= 32;
            bits -= 32;
        }
    }
    *sum = (uint32_t)waiting;
}

/* x := sum, or sum - n where that is not negative. */
static void subtract_modulus(uint32_t *x, const uint32_t *sum, const struct modulus *n)
{
    const uint32_t h = n->limbs;
    uint32_t less[MAX_LIMBS], borrow = 0;
    for (uint32_t i = 0; i < h; i++) {
        uint64_t difference = (uint64_t)sum[i] - n->n[i] - borrow;
        less[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
    uint32_t keep = 0 - (borrow & (1 - sum[h]));
    for (uint32_t i = 0; i < h; i++)
        x[i] = (sum[i] & keep) | (less[i] & ~keep);
}

void pair_get(uint32_t *x, const struct pair *z, uint32_t lane, const struct modulus *n,
              const struct pair_modulus *m)
{
    uint32_t sum[3 * MAX_DIGITS / 2];
    add_modulus(sum, z, lane, m);
    subtract_modulus(x, sum, n);
}

/* z := 2^i in both lanes. */
static void power_of_two(struct pair *z, uint32_t i)
{
    memset(z, 0, sizeof *z);
    z->digit[i / DIGIT_BITS][0] = 1U << i % DIGIT_BITS;
    z->digit[i / DIGIT_BITS][1] = 1U << i % DIGIT_BITS;
}

void pair_leave(struct pair *z, const struct pair *x, const struct pair_modulus *m)
{
    struct pair one;
    power_of_two(&one, 0);
    pair_mul(z, x, &one, m);
}

/* Blocks of four digits that numbers of h limbs need, with five bits to spare. */
static uint32_t blocks(uint32_t h)
{
    return (32 * h + 5 + 4 * DIGIT_BITS - 1) / (4 * DIGIT_BITS);
}

/* With r = 2^(32 h), R = 2^s r and r^2 mod n, which nat.h's modulus has, all modulo n:
 *
 *     r^2 2^(2 s) / R = R        (r^2 r^2 / R) 2^(4 s) / R = R^2 */
void pair_prepare(struct pair_modulus *m, const struct modulus *p, const struct modulus *q)
{
    const uint32_t h = p->limbs;
    struct pair rr, power;
    memset(m, 0, sizeof *m);
    m->bytes = 32 * blocks(h);
    m->n0inv[0] = p->n0inv << (32 - DIGIT_BITS);
    m->n0inv[1] = q->n0inv << (32 - DIGIT_BITS);
    pair_set(&m->n, 0, p->n, h, m);
    pair_set(&m->n, 1, q->n, h, m);
    pair_set(&rr, 0, p->rr, h, m);
    pair_set(&rr, 1, q->rr, h, m);
    const uint32_t s = DIGIT_BITS * m->bytes / 8 - 32 * h;
    power_of_two(&power, 2 * s);
    pair_mul(&m->one, &rr, &power, m);
    power_of_two(&power, 4 * s);
    pair_sqr(&rr, &rr, m);
    pair_mul(&m->rr, &rr, &power, m);
}
