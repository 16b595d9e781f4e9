/* Where a program may go while it is counted.
 *
 * The harness calls the snapshot by a branch with link: to the snapshot's code, or to a register, by
 * which it calls nothing else.  From the first call until the results are written, nothing is executed
 * but calls, which are counted, and the harness.  The harness goes only where its code says: a branch
 * to its target, a return behind the call that it belongs to.  So a snapshot gains nothing by writing
 * to the stack or to other memory of the harness: no code that is not counted works for it. */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEEPEST = 32 }; /* calls of the harness inside each other */

/* How a block of the harness ends. */
struct step {
    uint64_t behind; /* the address behind its last instruction */
    uint64_t target; /* of its direct branch; 0: it has none */
    bool calls, returns;
    bool enters;      /* it calls the snapshot */
    bool conditional; /* it may go on behind its last instruction, as where it has no branch */
};

enum stage { READING, CALLING, WRITTEN, LEAVING };

/* All zero: at the program's start. */
struct route {
    enum stage stage;
    struct step last; /* of the harness's block that was executed last */
    uint64_t returns[DEEPEST];
    size_t depth;
    uint64_t gate; /* where the driver's plain_call has stored lr */
};

/* A call by a register enters the snapshot; whether a direct one does, says who knows where that is. */
struct step route_step(uint32_t address, uint32_t opcode);

/* Each returns what is wrong, or NULL.  A block of the harness is executed, as the first behind a call
 * of the snapshot where one was `called'. */
const char *route_harness(struct route *r, uint64_t start, const struct step *step, bool called);

/* Code outside is executed, and not in a call. */
const char *route_outside(struct route *r);

/* The system is called, and not in a call. */
const char *route_system_call(struct route *r, int64_t number);

/* Whether this is the instruction by which the driver's plain_call stores lr, or loads it to pc. */
bool route_is_gate(uint32_t opcode);

/* That instruction's access. */
const char *route_gate(struct route *r, bool stores, uint64_t address);

#endif
