/* Calls that have been read, and the ways of making them. */
#ifndef DRIVER_H
#define DRIVER_H

#include "snapshot.h"
#include <stdbool.h>
#include <stddef.h>

#define DIGITS (8 * LIMBS) /* of a number in hexadecimal */

struct call {
    bool power;   /* mod_exp, else mont_mul */
    bool aliased; /* `check` makes it in every form that the contract permits */
    bool chained; /* x is what the call before has returned */
    struct modulus m;
    uint32_t x[LIMBS], y[LIMBS], z[LIMBS];
    long long real_ns, clock_us; /* how long it took, where that is asked for */
};

/* mont_mul and mod_exp. */
typedef void snapshot_function(uint32_t *z, const uint32_t *x, const uint32_t *y,
                               const struct modulus *m);

/* Makes every call and prints its result at once.  The words on either side of an operand must stay
 * as they were, and so must operands and the registers that the procedure call standard preserves; an
 * aliased form must return what the plain one has returned.  Faults go to stderr, a line each: true. */
bool check_calls(const struct call *calls, size_t count);

/* text[0..DIGITS) := the number in hexadecimal, the highest digit first. */
void put_digits(char *text, const uint32_t z[LIMBS]);

/* These digits, then `more`, on stdout. */
void print_result(const uint32_t z[LIMBS], const char *more);

/* f(z, x, y, m) with known values in the registers that the procedure call standard asks f to
 * preserve.  Bits 4 to 11 of the result: that register was changed; bit 13: sp; bits 16 to 23: d8 to
 * d15.  In assembly (abi.S); on another machine than ARM nothing is known, and it is 0. */
uint32_t call_checked(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                      snapshot_function *f);

/* f(z, x, y, m): the gate through which every counted call goes.  In assembly, too, because the
 * counters know it by its instructions. */
void plain_call(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                snapshot_function *f);

/* Writes text to stdout without the C library.  How many bytes were written, or a negative number. */
long write_out(const char *text, size_t size);

#endif
