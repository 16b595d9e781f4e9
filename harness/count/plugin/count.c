/* A QEMU plugin that counts exactly what the snapshot's part of a static ARM program executes.
 *
 *   qemu-arm -plugin count.so,snapshot=0xLO-0xHI,harness=0xLO-0xHI,out=FILE program
 *
 * A block of code in the snapshot range opens the gate, a block in the harness range closes it, and
 * a block elsewhere leaves it alone: run-time called from the snapshot counts, the C library called
 * from the harness does not.  Blocks end at branches, so every instruction of a block is executed
 * as often as the block, and one call-back per block suffices; an instruction whose condition does
 * not hold is executed all the same, as in the hardware's counter of retired instructions.
 *
 * A call begins where the gate opens and ends where it closes, which must be behind the harness's
 * last instruction before the call: code of the harness would work for the snapshot uncounted.
 *
 * Written at exit: one line per instruction executed with the gate open, sorted by address; then the
 * snapshot's instructions in each call. */
#define _POSIX_C_SOURCE 200809L

#include "count.h"
#include "a32.h"
#include "qemu_plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Version 2 took the inline counters away, and its hosts refuse plugins that say version 1. */
EXPORT int qemu_plugin_version = 1;

__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_register_vcpu_mem_inline == NULL)
        qemu_plugin_version = 2;
}

struct range {
    uint64_t lo, hi;
};

static struct range snapshot, harness;
static const char *out;
static struct block *blocks;
static struct block nowhere = {.part = HARNESS};
static struct block *previous = &nowhere;     /* executed last; nowhere if the gate was closed */
static bool inside;                           /* the gate is open */
static const struct block *caller = &nowhere; /* the harness's block executed last */
static struct calls calls;
static struct predictor predictor;

static const struct a32_rule thumb = {0, 0, A32_thumb, 0};

static bool in(struct range r, uint64_t address)
{
    return address - r.lo < r.hi - r.lo;
}

static void stop(const char *why)
{
    fprintf(stderr, "count: %s\n", why);
    _exit(2);
}

/* ---- While the program runs ---- */

/* Only now is it known where the previous block's branch went.  A conditional branch to the very
 * next address passes for not taken: from where it went the two cannot be told apart. */
static void settle_previous(const struct block *b)
{
    const struct insn *branch = previous->branch;
    uint32_t next = b->part == HARNESS ? HARNESS_ADDRESS : (uint32_t)b->start;
    previous->taken += b->start != previous->fall_through;
    if (branch != NULL)
        previous->mispredicted += predict_branch(&predictor, branch->address, branch->opcode, next);
    if (previous->part != b->part)
        predict_passage(&predictor, previous->part, b->part);
}

static void snapshot_block(unsigned vcpu, void *data)
{
    struct block *b = data;
    (void)vcpu;
    settle_previous(b);
    inside = true;
    calls.spent += b->part == SNAPSHOT ? b->n : 0;
    b->executions++;
    previous = b;
}

static void harness_block(unsigned vcpu, void *data)
{
    struct block *b = data;
    (void)vcpu;
    settle_previous(b);
    if (inside && b->start != caller->fall_through)
        stop("the snapshot runs code of the harness");
    if (inside && !calls_add(&calls))
        stop("out of memory");
    inside = false;
    caller = b;
    previous = &nowhere;
}

static void other_block(unsigned vcpu, void *data)
{
    if (inside)
        snapshot_block(vcpu, data);
}

/* A newer QEMU makes one access of 8 bytes of an ldrd or strd; QEMU 7 makes two of 4, which is what
 * the architecture promises. */
static void memory_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    struct insn *insn = data;
    bool core = insn->rule->class == A32_load || insn->rule->class == A32_store;
    bool pair = core && qemu_plugin_mem_size_shift(info) == 3;
    (void)vcpu;
    (void)address;
    if (inside)
        *(qemu_plugin_mem_is_store(info) ? &insn->stores : &insn->loads) += pair ? 2 : 1;
}

/* ---- While QEMU translates ---- */

/* Code in the snapshot range never runs with the gate closed, so an instruction there that either
 * loads or stores needs no call-back, only an inline counter of all its accesses.  QEMU 7.2 passes
 * rw + 1 where rw is meant: 2 counts everything and 3 nothing, where a QEMU that does as it says
 * counts stores by 2 and everything by 3.  The larger of the two is the answer in either. */
static void watch_memory(struct qemu_plugin_insn *q, struct insn *insn, bool in_snapshot)
{
    bool memory = (insn->rule->does & (A32_LOADS | A32_STORES)) != 0;
    bool one_way = memory && insn->rule->class != A32_exclusive;
    if (in_snapshot && one_way && qemu_plugin_register_vcpu_mem_inline != NULL) {
        qemu_plugin_register_vcpu_mem_inline(q, WRITES, ADD_U64, &insn->inline_2, 1);
        qemu_plugin_register_vcpu_mem_inline(q, READS_AND_WRITES, ADD_U64, &insn->inline_3, 1);
    } else {
        qemu_plugin_register_vcpu_mem_cb(q, memory_access, NO_REGISTERS, READS_AND_WRITES, insn);
    }
}

static bool is_thumb(const struct qemu_plugin_tb *tb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
        if (qemu_plugin_insn_size(q) != 4 || qemu_plugin_insn_vaddr(q) % 4 != 0)
            return true;
    }
    return false;
}

/* One record for each translation: the same code may be translated more than once.  A block of
 * Thumb code that happens to hold only aligned 4-byte instructions passes for A32 here; who reads
 * the output puts that right by the program's mapping symbols. */
static struct block *new_block(const struct qemu_plugin_tb *tb, enum part part, size_t n)
{
    struct block *b = calloc(1, sizeof *b + n * sizeof b->insns[0]);
    if (b == NULL)
        stop("out of memory");
    b->start = qemu_plugin_tb_vaddr(tb);
    b->part = part;
    b->n = n;
    b->next = blocks;
    blocks = b;
    return b;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    uint64_t start = qemu_plugin_tb_vaddr(tb);
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (in(harness, start)) {
        struct block *closing = new_block(tb, HARNESS, 0);
        const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
        closing->fall_through = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
        qemu_plugin_register_vcpu_tb_exec_cb(tb, harness_block, NO_REGISTERS, closing);
        return;
    }

    bool in_snapshot = in(snapshot, start);
    struct block *b = new_block(tb, in_snapshot ? SNAPSHOT : RUN_TIME, n);
    bool in_thumb = is_thumb(tb, n);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, in_snapshot ? snapshot_block : other_block,
                                         NO_REGISTERS, b);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
        struct insn *insn = &b->insns[i];
        insn->address = (uint32_t)qemu_plugin_insn_vaddr(q);
        insn->size = (uint8_t)qemu_plugin_insn_size(q);
        memcpy(&insn->opcode, qemu_plugin_insn_haddr(q), insn->size);
        insn->rule = in_thumb ? &thumb : a32_decode(insn->opcode);
        watch_memory(q, insn, in_snapshot);
        b->fall_through = insn->address + insn->size;
        if (insn->opcode >> 28 >= 14) /* no condition: taken, be it to the next address */
            b->fall_through = UINT64_MAX;
        b->branch = in_snapshot && insn->rule->does & A32_BRANCHES ? insn : NULL;
    }
}

static void finish(uint64_t id, void *temporary)
{
    (void)id;
    if (count_write(blocks, &calls, temporary, out) != 0) {
        fprintf(stderr, "count: cannot write %s: %s\n", out, strerror(errno));
        _exit(2);
    }
}

static bool parse_range(const char *s, struct range *r)
{
    char *end;
    r->lo = strtoull(s, &end, 16);
    if (end == s || *end != '-')
        return false;
    s = end + 1;
    r->hi = strtoull(s, &end, 16);
    return end != s && *end == '\0' && r->lo < r->hi && r->hi <= UINT32_MAX;
}

static bool parse_argument(const char *arg)
{
    if (strncmp(arg, "snapshot=", 9) == 0)
        return parse_range(arg + 9, &snapshot);
    if (strncmp(arg, "harness=", 8) == 0)
        return parse_range(arg + 8, &harness);
    if (strncmp(arg, "out=", 4) != 0 || arg[4] == '\0')
        return false;
    out = strdup(arg + 4);
    return out != NULL;
}

EXPORT int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv);

int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (info->version.min > qemu_plugin_version || info->version.cur < qemu_plugin_version) {
        fprintf(stderr, "count: this QEMU speaks plugin versions %d to %d, the counter %d\n",
                info->version.min, info->version.cur, qemu_plugin_version);
        return -1;
    }
    if (strcmp(info->target_name, "arm") != 0) {
        fprintf(stderr, "count: the counter is for qemu-arm, not qemu-%s\n", info->target_name);
        return -1;
    }
    for (int i = 0; i < argc; i++) {
        if (!parse_argument(argv[i])) {
            fprintf(stderr, "count: argument not understood: %s\n", argv[i]);
            return -1;
        }
    }
    if (snapshot.hi == 0 || harness.hi == 0 || out == NULL) {
        fprintf(stderr, "count: needs snapshot=0xLO-0xHI, harness=0xLO-0xHI and out=FILE\n");
        return -1;
    }
    char *name = malloc(strlen(out) + sizeof ".tmp");
    if (name == NULL)
        return -1;
    strcat(strcpy(name, out), ".tmp");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, name);
    return 0;
}
