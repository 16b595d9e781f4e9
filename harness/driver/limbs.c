/* Limb arithmetic of the harness: chosen to be obviously right, never to be fast. */
#include "limbs.h"

int number_compare(const uint32_t x[LIMBS], const uint32_t y[LIMBS])
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void number_append_digit(struct number *x, uint32_t digit)
{
    for (int i = LIMBS - 1; i > 0; i--)
        x->limb[i] = x->limb[i] << 4 | x->limb[i - 1] >> 28;
    x->limb[0] = x->limb[0] << 4 | digit;
}

void number_to_hex(char text[HEX_DIGITS + 1], const uint32_t x[LIMBS])
{
    char *end = text;
    for (int i = HEX_DIGITS - 1; i >= 0; i--) {
        uint32_t digit = x[i / 8] >> (i % 8 * 4) & 15;
        if (digit != 0 || end != text || i == 0)
            *end++ = "0123456789abcdef"[digit];
    }
    *end = '\0';
}

void number_add(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
                const uint32_t n[LIMBS])
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x[i] + y[i];
        z[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry == 0 && number_compare(z, n) < 0)
        return;
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint64_t difference = (uint64_t)z[i] - n[i] - borrow;
        z[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

struct number number_multiply(const struct number *x, const struct number *y,
                              const uint32_t n[LIMBS])
{
    struct number z = {{0}};
    for (int i = WIDTH - 1; i >= 0; i--) {
        number_add(z.limb, z.limb, z.limb, n);
        if (y->limb[i / 32] >> i % 32 & 1)
            number_add(z.limb, z.limb, x->limb, n);
    }
    return z;
}

struct number number_power(const struct number *x, const struct number *e, const uint32_t n[LIMBS])
{
    struct number z = {{1}};
    for (int i = WIDTH - 1; i >= 0; i--) {
        z = number_multiply(&z, &z, n);
        if (e->limb[i / 32] >> i % 32 & 1)
            z = number_multiply(&z, x, n);
    }
    return z;
}

void number_halve(struct number *x, const uint32_t n[LIMBS])
{
    uint32_t odd = x->limb[0] & 1;
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x->limb[i] + (odd ? n[i] : 0);
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    for (int i = 0; i < LIMBS; i++) {
        uint32_t above = i < LIMBS - 1 ? x->limb[i + 1] : (uint32_t)carry;
        x->limb[i] = x->limb[i] >> 1 | above << 31;
    }
}

/* The v with n0 v = -1 (mod 2^32).  Needs n0 odd.
 * Invariant at the top of round i: n0 v = -1 (mod 2^i), 0 <= v < 2^i; when bit i of n0 v + 1 is
 * set, adding 2^i to v clears it, n0 being odd. */
static uint32_t negated_inverse(uint32_t n0)
{
    uint32_t v = 0;
    for (int i = 0; i < 32; i++)
        v |= ((n0 * v + 1) >> i & 1) << i;
    return v;
}

void modulus_derive(struct modulus *m, const struct number *n)
{
    for (int i = 0; i < LIMBS; i++) {
        m->n[i] = n->limb[i];
        m->rr[i] = i == 0; /* 1 < n */
    }
    for (int i = 0; i < 2 * WIDTH; i++)
        number_add(m->rr, m->rr, m->rr, m->n);
    m->n0inv = negated_inverse(m->n[0]);
}
