/* pair_mul in digits of 28 bits, one number after the other.
 *
 * A product of two digits has 56 bits.  A column of 2 K <= 152 of them fits 64 bits, so that nothing carries
 * until the column is complete.  Digits have no sign: 0 <= z < 2 n, because R = 2^(28 K) > 4 n. */
#include "pair.h"

#define W 28
#define LOW ((1U << W) - 1)

typedef uint32_t digit;
typedef uint64_t column;

static digit load(const uint32_t word[2], uint32_t lane)
{
    return word[lane];
}

static void store(uint32_t word[2], digit z, uint32_t lane)
{
    word[lane] = z;
}

static column add_product(column sum, digit x, digit y)
{
    return sum + (uint64_t)x * y;
}

static digit low_bits(column sum)
{
    return (digit)sum & LOW;
}

static digit quotient(column sum, digit n0inv)
{
    return (digit)sum * n0inv & LOW;
}

static column carry(column sum)
{
    return sum >> W;
}

/* Column k is the sum of all x[i] y[j] and u[i] n[j] with i + j = k, and of what column k - 1 carries.  The digit
 * u[k] of the quotient makes it a multiple of 2^W; from column K on, its low bits are a digit of z. */
static void product(struct pair *z, const struct pair *x, const struct pair *y,
                    const struct pair_modulus *m, uint32_t lane)
{
    const uint32_t digits = m->bytes / 8;
    const digit n0inv = load(m->n0inv, lane) >> (32 - W);
    digit u[MAX_DIGITS];
    column sum = 0;
    for (uint32_t k = 0; k < digits; k++) {
        for (uint32_t i = 0; i < k; i++) {
            sum = add_product(sum, load(x->digit[i], lane), load(y->digit[k - i], lane));
            sum = add_product(sum, u[i], load(m->n.digit[k - i], lane));
        }
        sum = add_product(sum, load(x->digit[k], lane), load(y->digit[0], lane));
        u[k] = quotient(sum, n0inv);
        sum = carry(add_product(sum, u[k], load(m->n.digit[0], lane)));
    }
    for (uint32_t k = digits; k < 2 * digits; k++) {
        for (uint32_t i = k - digits + 1; i < digits; i++) {
            sum = add_product(sum, load(x->digit[i], lane), load(y->digit[k - i], lane));
            sum = add_product(sum, u[i], load(m->n.digit[k - i], lane));
        }
        store(z->digit[k - digits], low_bits(sum), lane);
        sum = carry(sum);
    }
}

void pair_mul(struct pair *z, const struct pair *x, const struct pair *y,
              const struct pair_modulus *m)
{
    product(z, x, y, m, 0);
    product(z, x, y, m, 1);
}
