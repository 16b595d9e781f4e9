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

/* m := n with its constants R^2 mod n and -n^-1 mod 2^32.  Needs n odd and n >= 3. */
void modulus_derive(struct modulus *m, const struct number *n);

#endif
