/* A QEMU plugin that counts exactly what calls of the snapshot execute in a static ARM program.
 *
 *   qemu-arm -plugin count.so,code=0xLO-0xHI,snapshot=0xLO-0xHI,entry=0xAT,harness=0xLO-0xHI,out=FILE program
 *
 * A call begins with the instruction that the harness branches to, where its code says that it calls
 * the snapshot (route.h), and ends where that branch returns to, with sp as it was.  Every instruction
 * in between counts, wherever it stands: in the snapshot, in the C library, in the harness.  None
 * counts outside a call, and the snapshot's own may not be executed there.
 *
 * Blocks end at branches, so every instruction of a block is executed as often as the block; an
 * instruction whose condition does not hold is executed all the same, as in the hardware's counter of
 * retired instructions.
 *
 * The snapshot's blocks are counted inline, and flow.c says how often their branches were taken;
 * for this it needs an entry= for each function.  Where it cannot, and everywhere with predict=1,
 * which simulates branch prediction, a call-back sees where each block goes.
 *
 * What a call may not do ends the run with one line: a system call, a request to the emulator (svc,
 * hlt or bkpt), code outside the program's.  route.c watches the harness between the calls.
 *
 * Written at exit: one line per instruction executed in a call, sorted by address; then the
 * snapshot's instructions in each call. */
#define _POSIX_C_SOURCE 200809L

#include "count.h"
#include "a32.h"
#include "flow.h"
#include "predict.h"
#include "qemu_plugin.h"
#include "route.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Version 2 took the inline counters away, and its hosts refuse plugins that say version 1. */
EXPORT int qemu_plugin_version = 1;

__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_register_vcpu_tb_exec_inline == NULL)
        qemu_plugin_version = 2;
}

struct range {
    uint64_t lo, hi;
};

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
    struct step step;           /* of the harness's blocks only */
    enum part part;
    bool asks;  /* the system or the emulator, at its end */
    size_t own; /* of its instructions, those of the snapshot */
    size_t n;
    struct insn insns[];
};

static struct range code, snapshot, harness;
static const char *out;
static struct block *blocks;
static struct block nowhere = {.part = HARNESS};
static struct block *previous = &nowhere; /* executed last; nowhere where no call was */
static uint64_t spent_then;               /* and calls.spent after it */
static struct calls calls;
static bool called;   /* a call has begun and not ended */
static uint64_t back; /* where it ends */
static bool counting; /* the block outside the snapshot that was entered last counts */
static struct route route;
static struct flow flow;
static bool looked; /* at flow */
static bool predict;
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

static void stop_at(const char *why, uint64_t address)
{
    fprintf(stderr, "count: %s: %#llx\n", why, (unsigned long long)address);
    _exit(2);
}

static void stop_if(const char *wrong)
{
    if (wrong != NULL)
        stop(wrong);
}

/* ---- While the program runs ---- */

/* Only now is it known where the previous block's branch went, if not into code that is counted
 * inline, which follows none.  A conditional branch to the very next address passes for not taken:
 * from where it went the two cannot be told apart. */
static void settle_previous(uint64_t start, enum part part)
{
    const struct insn *branch = previous->branch;
    uint32_t next = part == HARNESS ? HARNESS_ADDRESS : (uint32_t)start;
    previous->taken += start != previous->fall_through || calls.spent != spent_then;
    if (!predict)
        return;
    if (branch != NULL)
        previous->mispredicted += predict_branch(&predictor, branch->address, branch->opcode, next);
    if (previous->part != part)
        predict_passage(&predictor, previous->part, part);
}

static void count(struct block *b)
{
    if (b->asks)
        stop_at("the snapshot asks the system or the emulator (svc, hlt or bkpt)", b->start);
    settle_previous(b->start, b->part);
    calls.spent += b->own;
    spent_then = calls.spent;
    b->executions++;
    previous = b;
}

/* Of blocks that are counted inline only this is seen: something is spent. */
static void stop_outside_calls(const struct block *b)
{
    if (!called && (calls.spent != 0 || b->own != 0))
        stop("the snapshot runs outside a call");
}

static void snapshot_block(unsigned vcpu, void *data)
{
    (void)vcpu;
    stop_outside_calls(data);
    count(data);
}

static void harness_block(unsigned vcpu, void *data)
{
    struct block *b = data;
    (void)vcpu;
    counting = called && b->start != back;
    if (counting) {
        count(b);
        return;
    }
    stop_outside_calls(b);
    settle_previous(b->start, HARNESS);
    stop_if(route_harness(&route, b->start, &b->step, called));
    if (called && !calls_add(&calls))
        stop("out of memory");
    previous = &nowhere;
    called = b->step.enters;
    back = b->step.behind;
}

static void library_block(unsigned vcpu, void *data)
{
    (void)vcpu;
    counting = called;
    stop_outside_calls(data);
    if (called)
        count(data);
    else
        stop_if(route_outside(&route));
}

static void strange_block(unsigned vcpu, void *data)
{
    const struct block *b = data;
    (void)vcpu;
    if (called)
        stop_at("the snapshot runs code that is not the program's", b->start);
    library_block(vcpu, data);
}

static void system_call(uint64_t id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b,
                        uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)vcpu;
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if (called)
        stop("the snapshot makes a system call");
    stop_if(route_system_call(&route, number));
}

static void gate_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)vcpu, (void)data;
    stop_if(route_gate(&route, qemu_plugin_mem_is_store(info), address));
}

/* A newer QEMU makes one access of 8 bytes of an ldrd or strd; QEMU 7 makes two of 4, which is what
 * the architecture promises. */
static void snapshot_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    struct insn *insn = data;
    bool core = insn->rule->class == A32_load || insn->rule->class == A32_store;
    bool pair = core && qemu_plugin_mem_size_shift(info) == 3;
    (void)vcpu, (void)address;
    *(qemu_plugin_mem_is_store(info) ? &insn->stores : &insn->loads) += pair ? 2 : 1;
}

static void other_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    if (counting)
        snapshot_access(vcpu, info, address, data);
}

/* ---- While QEMU translates ---- */

/* Code in the snapshot range never runs outside a call, so an instruction there that either
 * loads or stores needs no call-back, only an inline counter of all its accesses, or not even that
 * where their number stands in its code.  QEMU 7.2 passes rw + 1 where rw is meant: 2 counts
 * everything and 3 nothing, where a QEMU that does as it says counts stores by 2 and everything by
 * 3.  The larger of the two is the answer in either. */
static void watch_memory(struct qemu_plugin_insn *q, struct insn *insn, bool in_snapshot)
{
    bool memory = (insn->rule->does & (A32_LOADS | A32_STORES)) != 0;
    bool one_way = memory && insn->rule->class != A32_exclusive;
    insn->each = in_snapshot ? a32_accesses(insn->rule, insn->opcode) : 0;
    if (insn->each != 0)
        return;
    if (in_snapshot && one_way && qemu_plugin_register_vcpu_mem_inline != NULL) {
        qemu_plugin_register_vcpu_mem_inline(q, WRITES, ADD_U64, &insn->inline_2, 1);
        qemu_plugin_register_vcpu_mem_inline(q, READS_AND_WRITES, ADD_U64, &insn->inline_3, 1);
    } else {
        qemu_plugin_register_vcpu_mem_cb(q, in_snapshot ? snapshot_access : other_access,
                                         NO_REGISTERS, READS_AND_WRITES, insn);
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

/* Whether call-backs have to follow this block of the snapshot. */
static bool is_watched(const struct qemu_plugin_tb *tb, size_t n)
{
    const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    uint64_t start = qemu_plugin_tb_vaddr(tb);
    if (predict || qemu_plugin_register_vcpu_tb_exec_inline == NULL || is_thumb(tb, n))
        return true;
    if (!looked) { /* its code is in one piece, in the host's memory too */
        const char *bytes = qemu_plugin_insn_haddr(first);
        for (size_t i = 0; i < flow.n; i++)
            memcpy(&flow.places[i].opcode, bytes + (ptrdiff_t)(flow.start + 4 * i - start), 4);
        flow_look(&flow);
        looked = true;
    }
    return flow_at(&flow, start)->watched;
}

/* A request that is conditional is none until its condition holds.  Then it is a system call, or one
 * that the emulator answers by itself: those have another number in the code. */
static bool asks(const struct insn *insn)
{
    uint32_t opcode = insn->opcode;
    if (insn->size == 2)
        return opcode >> 8 == 0xdf || opcode >> 8 == 0xbe || opcode >> 6 == 0xba80 >> 6;
    if (opcode >> 28 == 15)
        return false;
    if ((opcode & 0x0f000000) == 0x0f000000)
        return opcode >> 28 == 14 || (opcode & 0x00ffffff) != 0;
    return (opcode & 0x0f9000f0) == 0x01000070; /* hlt, bkpt, hvc, smc */
}

static struct block *counted_block(const struct qemu_plugin_tb *tb, enum part part, size_t n)
{
    struct block *b = new_block(tb, part, n);
    bool in_thumb = is_thumb(tb, n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
        struct insn *insn = &b->insns[i];
        insn->address = (uint32_t)qemu_plugin_insn_vaddr(q);
        insn->size = (uint8_t)qemu_plugin_insn_size(q);
        memcpy(&insn->opcode, qemu_plugin_insn_haddr(q), insn->size);
        insn->rule = in_thumb ? &thumb : a32_decode(insn->opcode);
        watch_memory(q, insn, part == SNAPSHOT);
        b->own += in(snapshot, insn->address);
        b->fall_through = insn->address + insn->size;
        if (insn->opcode >> 28 >= 14) /* no condition: taken, be it to the next address */
            b->fall_through = UINT64_MAX;
        b->branch = part == SNAPSHOT && insn->rule->does & A32_BRANCHES ? insn : NULL;
        b->asks = asks(insn);
    }
    return b;
}

static void translate_snapshot(struct qemu_plugin_tb *tb, size_t n)
{
    struct block *b = counted_block(tb, SNAPSHOT, n);
    if (b->asks || is_watched(tb, n)) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, snapshot_block, NO_REGISTERS, b);
    } else {
        b->place = flow_at(&flow, b->start) + n - 1;
        qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &b->executions, 1);
        qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &calls.spent, n);
    }
}

static void translate_harness(struct qemu_plugin_tb *tb, size_t n)
{
    struct block *b = counted_block(tb, RUN_TIME, n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);
        uint32_t opcode;
        memcpy(&opcode, qemu_plugin_insn_haddr(q), sizeof opcode);
        b->step = route_step((uint32_t)qemu_plugin_insn_vaddr(q), opcode);
        b->step.enters |= b->step.calls && in(snapshot, b->step.target);
        if (route_is_gate(opcode))
            qemu_plugin_register_vcpu_mem_cb(q, gate_access, NO_REGISTERS, READS_AND_WRITES, NULL);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, harness_block, NO_REGISTERS, b);
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    uint64_t start = qemu_plugin_tb_vaddr(tb);
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t last = n == 0 ? start : qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, n - 1));
    if (in(harness, start))
        translate_harness(tb, n);
    else if (in(snapshot, start) && in(snapshot, last))
        translate_snapshot(tb, n);
    else if (in(code, start) && in(code, last))
        qemu_plugin_register_vcpu_tb_exec_cb(tb, library_block, NO_REGISTERS,
                                             counted_block(tb, RUN_TIME, n));
    else
        qemu_plugin_register_vcpu_tb_exec_cb(tb, strange_block, NO_REGISTERS,
                                             new_block(tb, RUN_TIME, 0));
}

/* Branches of blocks that no call-back follows.  False: flow contradicts itself. */
static bool solve(void)
{
    for (const struct block *b = blocks; b != NULL; b = b->next)
        for (size_t i = 0; i < b->n; i++)
            if (in(snapshot, b->insns[i].address))
                flow_at(&flow, b->insns[i].address)->executions += b->executions;
    bool solved = flow_solve(&flow);
    for (struct block *b = blocks; b != NULL; b = b->next) {
        if (b->place != NULL && b->executions != 0) {
            b->taken = b->place->taken;
            b->place->taken = 0; /* another block may end there, too */
        }
    }
    return solved;
}

static struct row row_of(const struct block *b, const struct insn *insn)
{
    uint64_t inlined = insn->inline_2 > insn->inline_3 ? insn->inline_2 : insn->inline_3;
    int does = insn->rule->does;
    struct row r = {insn->address, insn->opcode, insn->size, insn->rule, b->executions, 0,
                    insn->loads,   insn->stores, 0};
    inlined += insn->each * b->executions;
    if (does & A32_BRANCHES)
        r.taken = b->taken;
    if (insn == b->branch)
        r.mispredicted = b->mispredicted;
    if (does & A32_LOADS)
        r.loads += inlined;
    else if (does & A32_STORES)
        r.stores += inlined;
    return r;
}

static int write_all(void)
{
    size_t n = 0;
    for (const struct block *b = blocks; b != NULL; b = b->next)
        n += b->executions != 0 ? b->n : 0;
    struct row *rows = calloc(n + 1, sizeof *rows);
    if (rows == NULL)
        return -1;
    n = 0;
    for (const struct block *b = blocks; b != NULL; b = b->next)
        for (size_t i = 0; b->executions != 0 && i < b->n; i++)
            rows[n++] = row_of(b, &b->insns[i]);
    return count_write(rows, n, &calls, out);
}

static void finish(uint64_t id, void *data)
{
    (void)id, (void)data;
    stop_outside_calls(&nowhere);
    if (called)
        stop("the program ends before a call does");
    if (looked && !solve())
        stop("the snapshot jumps where its code does not say");
    if (write_all() != 0) {
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

static bool parse_snapshot(const char *s)
{
    if (!parse_range(s, &snapshot))
        return false;
    flow.start = (uint32_t)snapshot.lo;
    flow.n = (size_t)((snapshot.hi - snapshot.lo + 3) / 4);
    flow.places = calloc(flow.n, sizeof *flow.places);
    return flow.places != NULL;
}

static bool parse_entry(const char *s)
{
    struct place *entry = flow_at(&flow, strtoull(s, NULL, 16));
    if (entry != NULL)
        entry->hidden = true;
    return entry != NULL;
}

static bool parse_argument(const char *arg)
{
    if (strncmp(arg, "snapshot=", 9) == 0)
        return parse_snapshot(arg + 9);
    if (strncmp(arg, "code=", 5) == 0)
        return parse_range(arg + 5, &code);
    if (strncmp(arg, "entry=", 6) == 0)
        return parse_entry(arg + 6);
    if (strcmp(arg, "predict=1") == 0)
        return predict = true;
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
    if (code.hi == 0 || snapshot.hi == 0 || harness.hi == 0 || out == NULL) {
        fprintf(stderr, "count: needs code=, snapshot= and harness=0xLO-0xHI, and out=FILE\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
