/* What Unicorn executes of a program, counted for each address.
 *
 * Memory accesses are counted in one of two ways.  Either accessed() is called for each of them, which
 * makes Unicorn leave its fast path for memory and costs a factor of ten.  Or nobody calls it: an
 * instruction of the snapshot makes the same number of accesses whenever its condition holds, which
 * executed() notes, and a single trial of it tells how many. */
#ifndef TALLY_H
#define TALLY_H

#include "count.h"
#include "predict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UC_ARM_REG_CPSR 3

struct range {
    uint32_t start, end;
};

/* One halfword of the program's code.  It has 64 bytes: this is where the time goes. */
struct halfword {
    uint64_t executions;
    uint64_t jumped; /* the next instruction was not the one behind it */
    uint64_t held;   /* the condition held; only where it is asked for */
    uint64_t loads, stores;
    uint64_t mispredicted; /* simulated */
    uint32_t branch;       /* the opcode, if it is a branch of the snapshot, else 0 */
    enum part part;
    uint32_t ask; /* 1 + the condition to be asked for, 0 for none */
    uint8_t size;
    bool thumb;
};

struct tally {
    struct range code, snapshot;
    const uint8_t *bytes; /* of the code */
    struct halfword *places, *current;
    uint32_t next;
    struct halfword nowhere; /* all that stands outside the code; the caller's, too */
    struct predictor predictor;
    struct calls calls;
    bool outside;                        /* something outside the snapshot was executed */
    void (*stop)(const char *form, ...); /* ends the program with a line */
    int (*reg_read)(void *engine, int reg, void *value);
    /* The accesses of an instruction whose condition holds, tried once; false where it cannot be. */
    bool (*try)(uint32_t opcode, uint64_t *loads, uint64_t *stores);
};

/* Ready to count: `code', `snapshot', `bytes' and the functions are there, all else is
 * zero.  False: out of memory. */
bool tally_begin(struct tally *t);

/* A call has come back to address `trap', which is outside the code.  False: out of memory. */
bool tally_end_call(struct tally *t, uint32_t trap);

/* Writes the counter's file.  Returns what is wrong, or NULL. */
const char *tally_write(struct tally *t, const char *out);

/* Unicorn calls the one before each instruction, its condition holding or not, the other for each
 * access.  Code that is not the program's ends it. */
void executed(void *engine, uint64_t address, uint32_t size, void *tally);
void accessed(void *engine, int type, uint64_t address, int size, int64_t value, void *tally);

#endif
