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
 * on either side of the result. */
void check_vector(const struct vector *v);

/* One plain call. */
void call_vector(const struct vector *v);

/* Encrypts and decrypts: two calls of mod_exp and none of anything else. */
struct round_trip make_round_trip(const struct key *key, const struct message *message);

#endif
