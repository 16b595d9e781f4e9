/* Modular powers, left to right, in the Montgomery domain. */
#include "nat.h"
#include <string.h>

/* Bits [i, i + count) of e as a number, count <= 32; bits beyond e are 0. */
static uint32_t bits_of(const uint32_t *e, uint32_t bits, uint32_t i, uint32_t count)
{
    uint64_t two = e[i / 32];
    if (i / 32 + 1 < (bits + 31) / 32)
        two |= (uint64_t)e[i / 32 + 1] << 32;
    return (uint32_t)(two >> i % 32) & ((1U << count) - 1);
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

/* z := x^e, the left-to-right binary method (Knuth 1997, section 4.6.3). */
static void binary(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                   const struct modulus *m)
{
    uint32_t i = bits, zeros = 0;
    while (i > 0 && !(e[(i - 1) / 32] >> (i - 1) % 32 & 1))
        i--;
    if (i == 0) {
        one(z, m);
        return;
    }
    copy(z, x, m->limbs);
    while (--i > 0) {
        zeros++;
        if (e[(i - 1) / 32] >> (i - 1) % 32 & 1) {
            lazy_sqr(z, z, zeros, m);
            lazy_mul(z, z, x, m);
            zeros = 0;
        }
    }
    lazy_sqr(z, z, zeros, m);
}

/* Number i of a table for choose := x. */
static void put(uint32_t *table, uint32_t count, uint32_t i, const uint32_t *x, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        table[4 * (count * (j / 4) + i) + j % 4] = x[j];
}

/* Fixed windows of w bits, from a table of x^0 to x^(2^w - 1) (the 2^k-ary method). */
static void fixed(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                  const struct modulus *m, uint32_t w)
{
    uint32_t table[MAX_LIMBS << MAX_WINDOW];
    uint32_t factor[MAX_LIMBS];
    uint32_t k = m->limbs, count = 1U << w;
    one(factor, m);
    put(table, count, 0, factor, k);
    copy(factor, x, k);
    put(table, count, 1, factor, k);
    for (uint32_t i = 2; i < count; i++) {
        lazy_mul(factor, factor, x, m);
        put(table, count, i, factor, k);
    }
    uint32_t i = bits == 0 ? 0 : (bits - 1) / w * w;
    choose(z, table, count, bits_of(e, bits, i, w), k);
    while (i > 0) {
        i -= w;
        lazy_sqr(z, z, w, m);
        choose(factor, table, count, bits_of(e, bits, i, w), k);
        lazy_mul(z, z, factor, m);
    }
}

/* Windows of at most w bits that begin and end with a bit 1 (Koc 1995, "variable-length non-zero
 * windows"), from a table of the odd powers: at[i] = x^(2 i + 1).
 * Invariant at the top of the loop: z^(2^zeros) is x to the power of the bits of e from i on; z is
 * not yet written, and stands for 1, while `started` is 0. */
static void sliding(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
                    const struct modulus *m, uint32_t w)
{
    uint32_t at[1 << (MAX_WINDOW - 1)][MAX_LIMBS];
    uint32_t k = m->limbs, started = 0, zeros = 0;
    copy(at[0], x, k);
    if (w > 1)
        lazy_sqr(z, x, 1, m);
    for (uint32_t i = 1; i < 1U << (w - 1); i++)
        lazy_mul(at[i], at[i - 1], z, m);
    for (uint32_t i = bits; i > 0;) {
        uint32_t count = i < w ? i : w;
        uint32_t digit = bits_of(e, bits, i - count, count);
        if (digit >> (count - 1) == 0) {
            i--;
            zeros++;
            continue;
        }
        while (digit % 2 == 0) {
            digit /= 2;
            count--;
        }
        i -= count;
        if (started) {
            lazy_sqr(z, z, zeros + count, m);
            lazy_mul(z, z, at[digit / 2], m);
        } else
            copy(z, at[digit / 2], k);
        started = 1;
        zeros = 0;
    }
    if (started)
        lazy_sqr(z, z, zeros, m);
    else
        one(z, m);
}

/* The window that needs the fewest products by the cost model, 2^(w-1) for the table and one for
 * every w + 1 bits (Koc 1995): w + 1 is better than w if bits > 2^(w-1) (w + 1) (w + 2).  With FIXED,
 * reading the whole table soon costs more than a longer window saves. */
static uint32_t best_window(uint32_t bits, enum method method)
{
    uint32_t w = 1;
    if (method == FIXED)
        return bits < 1024 ? 4 : 5;
    while (w < MAX_WINDOW && bits > (w + 1) * (w + 2) << (w - 1))
        w++;
    return w;
}

void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, uint32_t bits,
             const struct modulus *m, enum method method, uint32_t window)
{
    uint32_t domain[MAX_LIMBS], power[MAX_LIMBS];
    if (window == 0)
        window = best_window(bits, method);
    lazy_mul(domain, x, m->rr, m);
    if (method == BINARY)
        binary(power, domain, e, bits, m);
    else if (method == FIXED)
        fixed(power, domain, e, bits, m, window);
    else
        sliding(power, domain, e, bits, m, window);
    leave(z, power, m);
}
