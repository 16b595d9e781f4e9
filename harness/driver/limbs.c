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

/* x := 2 x mod n.  Needs x < n, so that 2 x < 2 n and one subtraction is enough.  2 x may pass
 * 2^WIDTH; then it is above n, and the difference modulo 2^WIDTH is right all the same. */
static void double_mod(uint32_t x[LIMBS], const uint32_t n[LIMBS])
{
    uint32_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint32_t limb = x[i];
        x[i] = limb << 1 | carry;
        carry = limb >> 31;
    }
    if (carry == 0 && number_compare(x, n) < 0)
        return;
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint64_t difference = (uint64_t)x[i] - n[i] - borrow;
        x[i] = (uint32_t)difference;
        borrow = difference >> 63;
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
        double_mod(m->rr, m->n);
    m->n0inv = negated_inverse(m->n[0]);
}
