/* A line of input: an operation, its settings and its numbers. */
#ifndef LINE_H
#define LINE_H

#include "nat.h"
#include <stdbool.h>
#include <stddef.h>

#define MOST_LIMBS (2 * MAX_LIMBS)
#define MOST_NUMBERS 9

struct line {
    const char *file, *operation;
    size_t number;
    uint32_t k, levels, squares, method, window;
    uint32_t value[MOST_NUMBERS][MOST_LIMBS];
    size_t values;
};

/* One line on stderr, and status 2. */
_Noreturn void fault(const struct line *l, const char *format, ...);

/* One line on stderr, and status 1. */
_Noreturn void wrong(const struct line *l, const char *how);

/* Reads the text, which is spoilt.  The last number is the result, if it is there.  A fault for a number that
 * has more limbs than its operation takes: nothing is ever cut. */
void read_line(struct line *l, char *text, bool with_result);

/* -1, 0 or 1 for x < y, x = y, x > y. */
int compare(const uint32_t *x, const uint32_t *y, uint32_t k);

/* x := 2 x mod n, for x < n. */
void twice(uint32_t *x, const uint32_t *n, uint32_t k);

/* The modulus n with what follows from it; a fault unless it is odd and 3 at least. */
struct modulus derive(const struct line *l, const uint32_t *n, uint32_t k, const char *what);

#endif
