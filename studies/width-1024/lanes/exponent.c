/* Two powers at once, left to right, by fixed windows; each lane reads the whole table for its own digit. */
#include "pair.h"

/* Invariant at the top of the loop: z = x^(dp / 2^i) and x^(dq / 2^i), rounded down, times R. */
void pair_exp(struct pair *z, const struct pair *x, const uint32_t *dp, const uint32_t *dq,
              uint32_t h, const struct pair_modulus *m, struct pair table[TABLE_PAIRS])
{
    struct pair factor;
    const uint32_t bits = 32 * h, w = h < 32 ? 4 : 5, count = 1U << w;
    table[0] = m->one;
    table[1] = *x;
    for (uint32_t i = 2; i < count; i += 2) {
        pair_sqr(&table[i], &table[i / 2], m);
        pair_mul(&table[i + 1], &table[i], x, m);
    }
    uint32_t i = (bits - 1) / w * w;
    pair_choose(z, table, pair_bits(dp, h, i, w), pair_bits(dq, h, i, w), count, m->bytes);
    while (i > 0) {
        i -= w;
        for (uint32_t j = 0; j < w; j++)
            pair_sqr(z, z, m);
        pair_choose(&factor, table, pair_bits(dp, h, i, w), pair_bits(dq, h, i, w), count,
                    m->bytes);
        pair_mul(z, z, &factor, m);
    }
}
