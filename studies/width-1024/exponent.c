/* Modular powers, left to right, in the Montgomery domain. */
#include "nat.h"
#include <string.h>

/* Bits [i, i + count) of e as a number; bits beyond e are 0. */
static uint32_t bits_of(const uint32_t *e, uint32_t bits, uint32_t i, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t j = i; j < i + count && j < bits; j++)
        value |= (e[j / 32] >> j % 32 & 1) << (j - i);
    return value;
}

static void copy(uint32_t *z, const uint32_t *x, uint32_t k)
{
    memcpy(z, x, k * sizeof *z);
}

/* z := x R^-1 mod n: out of the Montgomery domain. */
static void leave(uint32_t *z, const uint32_t *x, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS] = {0};
    copy(t, x, m->limbs);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}

/* z := 1 in the Montgomery domain, R mod n. */
static void one(uint32_t *z, const struct modulus *m)
{
    leave(z, m->rr, m);
}

/* Knuth 1997, section 4.6.3, algorithm A read from the left. */
static void binary(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                   const struct modulus *m)
{
    one(z, m);
    uint32_t started = 0;
    for (uint32_t i = bits; i-- > 0;) {
        if (started)
            mont_sqr(z, z, m);
        if (!(e[i / 32] >> i % 32 & 1))
            continue;
        if (started)
            mont_mul(z, z, x, m);
        else
            copy(z, x, m->limbs);
        started = 1;
    }
}

typedef uint32_t table[1 << MAX_WINDOW][MAX_LIMBS];

/* z := at[index], of `count` numbers, all of which are read. */
static void choose(uint32_t *z, table at, uint32_t count, uint32_t index, uint32_t k)
{
    memset(z, 0, k * sizeof *z);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = (uint32_t)(((uint64_t)(i ^ index) - 1) >> 32);
        for (uint32_t j = 0; j < k; j++)
            z[j] |= at[i][j] & mask;
    }
}

/* Fixed windows of w bits, from a table of x^0 to x^(2^w - 1) (the 2^k-ary method). */
static void fixed(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                  const struct modulus *m, uint32_t w)
{
    table at;
    uint32_t factor[MAX_LIMBS];
    uint32_t k = m->limbs;
    one(at[0], m);
    copy(at[1], x, k);
    for (uint32_t i = 2; i < 1U << w; i++)
        if (i % 2 == 0)
            mont_sqr(at[i], at[i / 2], m);
        else
            mont_mul(at[i], at[i - 1], x, m);
    uint32_t i = bits == 0 ? 0 : (bits - 1) / w * w;
    choose(z, at, 1U << w, bits_of(e, bits, i, w), k);
    while (i > 0) {
        i -= w;
        for (uint32_t j = 0; j < w; j++)
            mont_sqr(z, z, m);
        choose(factor, at, 1U << w, bits_of(e, bits, i, w), k);
        mont_mul(z, z, factor, m);
    }
}

/* Non-zero windows of at most w bits that begin and end with a bit 1 (Koc 1995, "variable-length
 * non-zero windows"), from a table of the odd powers: at[i] = x^(2 i + 1). */
static void sliding(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                    const struct modulus *m, uint32_t w)
{
    table at;
    uint32_t k = m->limbs, started = 0;
    copy(at[0], x, k);
    if (w > 1)
        mont_sqr(z, x, m);
    for (uint32_t i = 1; i < 1U << (w - 1); i++)
        mont_mul(at[i], at[i - 1], z, m);
    one(z, m);
    for (uint32_t i = bits; i > 0;) {
        uint32_t low = i > w ? i - w : 0;
        if (bits_of(e, bits, i - 1, 1) == 0)
            low = i - 1;
        while (low < i - 1 && bits_of(e, bits, low, 1) == 0)
            low++;
        for (uint32_t j = low; j < i && started; j++)
            mont_sqr(z, z, m);
        uint32_t digit = bits_of(e, bits, low, i - low);
        if (digit != 0 && started)
            mont_mul(z, z, at[digit / 2], m);
        else if (digit != 0)
            copy(z, at[digit / 2], k);
        started |= digit;
        i = low;
    }
}

void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
             const struct modulus *m, enum method method, uint32_t window)
{
    uint32_t domain[MAX_LIMBS], power[MAX_LIMBS];
    mont_mul(domain, x, m->rr, m);
    if (method == BINARY)
        binary(power, domain, e, bits, m);
    else if (method == FIXED)
        fixed(power, domain, e, bits, m, window);
    else
        sliding(power, domain, e, bits, m, window);
    leave(z, power, m);
}
