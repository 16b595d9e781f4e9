/* Numbers below 2^WIDTH for the harness alone: plain, slow and independent of every snapshot, which
 * must not be judged by arithmetic of its own. */
#ifndef LIMBS_H
#define LIMBS_H

#include "snapshot.h"
#include <stdbool.h>

#define HEX_DIGITS (WIDTH / 4)

/* A number that can be assigned and returned; limb[0] is the lowest, as in the contract. */
struct number {
    uint32_t limb[LIMBS];
};

/* -1, 0 or 1 as x < y, x = y or x > y. */
int number_compare(const uint32_t x[LIMBS], const uint32_t y[LIMBS]);

/* x := 16 x + digit.  The top digit of x is lost. */
void number_append_digit(struct number *x, uint32_t digit);

/* x in lower-case hexadecimal without leading zeros; 0 is "0". */
void number_to_hex(char text[HEX_DIGITS + 1], const uint32_t x[LIMBS]);

/* z := x + y mod n.  Needs x < n and y < n, so that one subtraction is enough; x + y may pass 2^WIDTH.
 * z may be x or y. */
void number_add(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
                const uint32_t n[LIMBS]);

/* x y mod n by doubling and adding.  Needs x < n. */
struct number number_multiply(const struct number *x, const struct number *y,
                              const uint32_t n[LIMBS]);

/* x^e mod n by squaring and multiplying.  Needs x < n and 1 < n. */
struct number number_power(const struct number *x, const struct number *e, const uint32_t n[LIMBS]);

/* x := x / 2 mod n.  Needs x < n and n odd. */
void number_halve(struct number *x, const uint32_t n[LIMBS]);

/* m := n with its constants R^2 mod n and -n^-1 mod 2^32.  Needs n odd and n >= 3. */
void modulus_derive(struct modulus *m, const struct number *n);

#endif
