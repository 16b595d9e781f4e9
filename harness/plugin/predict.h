/* Branch prediction of the ARM1176JZF-S, simulated as its Technical Reference Manual (ARM DDI
 * 0301H) publishes it.  Both counters use it, so that they agree on every misprediction.
 *
 * It sees the branches of the snapshot, not those of the run-time: part of that is Thumb code,
 * which is not decoded.  A routine of the run-time is taken to return as predicted. */
#ifndef PREDICT_H
#define PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum { BTAC_ENTRIES = 128, RETURN_ENTRIES = 3 };
enum { HARNESS_ADDRESS = 0 }; /* stands for every address in the harness */

enum part { RUN_TIME, SNAPSHOT, HARNESS };

struct btac_entry {
    uint32_t address; /* of the branch; 0: none yet */
    uint32_t history; /* 0, 1: not taken, strongly and weakly; 2, 3: taken, weakly and strongly */
};

/* All zero: nothing predicted yet. */
struct predictor {
    struct btac_entry btac[BTAC_ENTRIES];
    uint32_t returns[RETURN_ENTRIES]; /* a circular buffer */
    uint32_t top, depth;              /* its next free place; how many places are in use */
};

/* A branch of the snapshot was executed, and `next' after it.  Whether it was mispredicted. */
bool predict_branch(struct predictor *p, uint32_t address, uint32_t opcode, uint32_t next);

/* Execution has passed from one part of the program to another, or stayed. */
void predict_passage(struct predictor *p, enum part from, enum part to);

#endif
