/* What the program does with records that have been read.  Each of these ends the program with
 * status 1 and one line on stderr at the first wrong result of the snapshot. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "records.h"

/* The time of one call by two clocks: the processor time that the sources used, and real time. */
struct sample {
    long long clock_us, real_ns;
};

struct round_trip {
    struct sample encrypt, decrypt;
};

/* Prints `file:line: what: expected ..., got ...` on stderr and ends the program with status 1;
 * returns when the two are equal. */
void expect(const char *file, size_t line, const char *what, const uint32_t expected[LIMBS],
            const uint32_t got[LIMBS]);

/* The vector's call with its result in a place of its own and, for vectors of the kind `aliasing`,
 * in every form that the contract permits.  Operands must stay as they were, and so must the words
 * on either side of each operand and the registers that the procedure call standard preserves. */
void check_vector(const struct vector *v);

/* The same for operands drawn with a seed; returns how many vectors that was.  A fault names the seed
 * and the vector, counted from 1. */
size_t check_drawn(uint32_t seed);

/* One plain call, its answer right. */
void call_vector(const struct vector *v);

/* Encrypts and decrypts: two calls of mod_exp and none of anything else. */
struct round_trip make_round_trip(const struct key *key, const struct message *message);

/* f(z, x, y, m) with known values in the registers that the procedure call standard asks f to
 * preserve.  Bits 4 to 11 of the result: that register was changed; bit 13: sp; bits 16 to 23: d8 to
 * d15.  In assembly (abi.S); on another machine than ARM nothing is known, and it is 0. */
uint32_t call_checked(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                      void (*f)(uint32_t *z, const uint32_t *x, const uint32_t *y,
                                const struct modulus *m));

#endif
