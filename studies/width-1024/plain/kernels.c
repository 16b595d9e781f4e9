/* The same operations in C, a row at a time. */
#include "../nat.h"
#include <string.h>

uint32_t add(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k; i++) {
        sum += (uint64_t)x[i] + y[i];
        z[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

uint32_t subtract_masked(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k,
                         uint32_t mask)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t difference = (uint64_t)x[i] - (y[i] & mask) - borrow;
        z[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (uint32_t)borrow;
}

uint32_t subtract(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t difference = (uint64_t)x[i] - y[i] - borrow;
        z[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (uint32_t)borrow;
}

/* t[0..k) := t[0..k) + x y.   The carry out is returned.
 * Nothing overflows: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
static uint32_t add_row(uint32_t *t, const uint32_t *x, uint32_t y, uint32_t k)
{
    uint32_t carry = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t sum = (uint64_t)x[i] * y + t[i] + carry;
        t[i] = (uint32_t)sum;
        carry = (uint32_t)(sum >> 32);
    }
    return carry;
}

void multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k)
{
    memset(t, 0, k * sizeof *t);
    for (uint32_t i = 0; i < k; i++)
        t[i + k] = add_row(t + i, x, y[i], k);
}

/* The products of different limbs once; then everything doubled, and the squares of the limbs. */
void square(uint32_t *t, const uint32_t *x, uint32_t k)
{
    uint32_t shifted = 0;
    uint64_t carry = 0;
    memset(t, 0, 2 * k * sizeof *t);
    for (uint32_t i = 0; i + 1 < k; i++)
        t[i + k] = add_row(t + 2 * i + 1, x + i + 1, x[i], k - i - 1);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t low = t[2 * i], high = t[2 * i + 1];
        uint64_t sum = (uint64_t)x[i] * x[i] + (low << 1 | shifted) + carry;
        t[2 * i] = (uint32_t)sum;
        sum = (sum >> 32) + (high << 1 | low >> 31);
        t[2 * i + 1] = (uint32_t)sum;
        carry = sum >> 32;
        shifted = high >> 31;
    }
}

/* t := t + q n, divisible by R; the bit above t[0..2k) is returned.  Invariant at the top of round i:
 * t[0..i) is 0, and `top` is a bit that belongs to t[i+k]. */
static uint32_t reduce_rows(uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k)
{
    uint32_t top = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t sum = (uint64_t)add_row(t + i, n, t[i] * n0inv, k) + t[i + k] + top;
        t[i + k] = (uint32_t)sum;
        top = (uint32_t)(sum >> 32);
    }
    return top;
}

void reduce(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k)
{
    uint32_t top = reduce_rows(t, n, n0inv, k);
    uint32_t borrow = subtract(t, t + k, n, k);
    uint32_t mask = 0 - (top | (borrow ^ 1));
    for (uint32_t i = 0; i < k; i++)
        z[i] = (t[i] & mask) | (t[i + k] & ~mask);
}

void reduce_lazily(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k)
{
    subtract_masked(z, t + k, n, k, 0 - reduce_rows(t, n, n0inv, k));
}

void choose(uint32_t *z, const uint32_t *table, uint32_t count, uint32_t index, uint32_t k)
{
    for (uint32_t j = 0; j < k; j += 4) {
        uint32_t limb[4] = {0};
        for (uint32_t i = 0; i < count; i++, table += 4) {
            uint32_t mask = (uint32_t)(((uint64_t)(i ^ index) - 1) >> 32);
            for (uint32_t l = 0; l < 4; l++)
                limb[l] |= table[l] & mask;
        }
        memcpy(z + j, limb, sizeof limb);
    }
}
