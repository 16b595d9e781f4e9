/* What a counter has seen, and its file, which both counters write. */
#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The snapshot's instructions in each call that has ended, and in the one that has not. */
struct calls {
    uint64_t spent;
    uint64_t *at;
    size_t count, room;
};

/* Ends a call.  False: out of memory. */
bool calls_add(struct calls *calls);

/* An instruction, or one translation of it. */
struct row {
    uint32_t address, opcode; /* Thumb too: the bytes as a little-endian number */
    uint8_t size;
    const struct a32_rule *rule;
    uint64_t executions, taken, loads, stores, mispredicted;
};

/* Writes the counter's file: a header line, a line for each instruction of the rows, sorted by
 * address, and a line of the calls.  Returns 0 if all went well.  The file has another name until it
 * is whole.  Changes the rows. */
int count_write(struct row *rows, size_t n, const struct calls *calls, const char *out);

#endif
