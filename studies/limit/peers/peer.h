/* What a library does in main.c's hands.  A number is an array of words of 32 bits, the lowest
 * first, as long as the modulus.  The library holds the modulus n, the exponent e, and COUNT bases
 * and results in its own form, so that no conversion is counted. */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>

#define MAX_WORDS 128
#define COUNT 16

struct numbers {
    uint32_t words;
    uint32_t n[MAX_WORDS]; /* odd */
    uint32_t e[MAX_WORDS];
};

/* Takes n and e over.   Asked for `constant` time, a library that has none returns 0. */
int take_key(const struct numbers *key, int constant);
void take_base(int i, const uint32_t *x);

/* What depends on n alone and need not be done for each base; `forget` frees it.   A library that
 * does it in every power has neither. */
void prepare(void);
void forget(void);

/* Result i := base i to the e modulo n.   Returns whether that worked. */
int power(int i);
void give_result(int i, uint32_t *z);

/* For libraries whose numbers are strings of bytes, the highest first. */
void to_bytes(unsigned char *bytes, const uint32_t *x, uint32_t words);
void to_words(uint32_t *x, const unsigned char *bytes, uint32_t words);

#endif
