/* pair_mul in digits of 28 bits, both numbers at once, each in a lane of NEON's registers.
 *
 * A product of two digits has 56 bits.  A column of 2 K <= 152 of them fits 64 bits, so that nothing carries
 * until the column is complete.  Digits have no sign: 0 <= z < 2 n, because R = 2^(28 K) > 4 n. */
#include "pair.h"
#include <arm_neon.h>

#define W 28
#define LOW ((1U << W) - 1)

typedef uint32x2_t digit;
typedef uint64x2_t column;

static digit load(const uint32_t word[2])
{
    return vld1_u32(word);
}

static void store(uint32_t word[2], digit z)
{
    vst1_u32(word, z);
}

static column add_product(column sum, digit x, digit y)
{
    return vmlal_u32(sum, x, y);
}

static digit low_bits(column sum)
{
    return vand_u32(vmovn_u64(sum), vdup_n_u32(LOW));
}

static digit quotient(column sum, digit n0inv)
{
    return vand_u32(vmul_u32(vmovn_u64(sum), n0inv), vdup_n_u32(LOW));
}

static column carry(column sum)
{
    return vshrq_n_u64(sum, W);
}

/* Column k is the sum of all x[i] y[j] and u[i] n[j] with i + j = k, and of what column k - 1 carries.  The digit
 * u[k] of the quotient makes it a multiple of 2^W; from column K on, its low bits are a digit of z. */
void pair_mul(struct pair *z, const struct pair *x, const struct pair *y,
              const struct pair_modulus *m)
{
    const uint32_t digits = m->bytes / 8;
    const digit n0inv = vshr_n_u32(load(m->n0inv), 32 - W);
    digit u[MAX_DIGITS];
    column sum = vdupq_n_u64(0);
    for (uint32_t k = 0; k < digits; k++) {
        for (uint32_t i = 0; i < k; i++) {
            sum = add_product(sum, load(x->digit[i]), load(y->digit[k - i]));
            sum = add_product(sum, u[i], load(m->n.digit[k - i]));
        }
        sum = add_product(sum, load(x->digit[k]), load(y->digit[0]));
        u[k] = quotient(sum, n0inv);
        sum = carry(add_product(sum, u[k], load(m->n.digit[0])));
    }
    for (uint32_t k = digits; k < 2 * digits; k++) {
        for (uint32_t i = k - digits + 1; i < digits; i++) {
            sum = add_product(sum, load(x->digit[i]), load(y->digit[k - i]));
            sum = add_product(sum, u[i], load(m->n.digit[k - i]));
        }
        store(z->digit[k - digits], low_bits(sum));
        sum = carry(sum);
    }
}
