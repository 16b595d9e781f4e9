/* How often the snapshot's branches are taken, worked out from how often its code is executed. */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place { /* an instruction of the snapshot */
    uint32_t opcode;
    bool reached; /* from an entry, by ways that the code shows */
    bool hidden;  /* one may get here by ways that it does not: calls of the harness, returns */
    bool watched; /* flow does not say how often its branches are taken */
    bool known;   /* taken is */
    uint64_t executions, taken;
    uint64_t in; /* while solving: what is known to get here, */
    size_t ways; /* how many branches besides may, */
    size_t way;  /* and the last of them */
};

struct flow {
    uint32_t start;
    size_t n;
    struct place *places;
};

/* Looks at code whose entries are marked as hidden, and marks what has to be watched. */
void flow_look(struct flow *f);

/* The place of an address; NULL outside. */
struct place *flow_at(const struct flow *f, uint64_t address);

/* Works out `taken' of what is not watched.  False where executions cannot be as they are: one came
 * by a way that the code does not show. */
bool flow_solve(struct flow *f);

#endif
