/* What the counter remembers of the code that it has seen. */
#ifndef COUNT_H
#define COUNT_H

#include "flow.h"
#include "predict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn {
    uint32_t address, opcode; /* Thumb too: the bytes as a little-endian number */
    uint8_t size;
    const struct a32_rule *rule;
    uint64_t loads, stores; /* accesses, added up by call-back */
    uint64_t inline_2, inline_3;
    unsigned each; /* accesses of each execution; 0: not known beforehand */
};

struct block {
    struct block *next;
    uint64_t start, fall_through;
    uint64_t executions, taken; /* taken means nothing unless the last instruction is a branch */
    uint64_t mispredicted;      /* of the snapshot's branches, simulated */
    const struct insn *branch;  /* the last instruction, if it is a branch of the snapshot */
    struct place *place;        /* of the last instruction, where flow says what is taken */
    enum part part;
    size_t n;
    struct insn insns[];
};

/* The snapshot's instructions in each call that has ended, and in the one that has not. */
struct calls {
    uint64_t spent;
    uint64_t *at;
    size_t count, room;
};

/* Ends a call.  False: out of memory. */
bool calls_add(struct calls *calls);

/* Writes a header line, a line for each instruction executed, sorted by address, and a line of the
 * calls.  Returns 0 if all went well.  The file is called temporary until it is whole. */
int count_write(const struct block *blocks, const struct calls *calls, const char *temporary,
                const char *out);

#endif
