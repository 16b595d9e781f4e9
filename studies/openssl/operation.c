/* A QEMU plugin that counts what one long operation executes: instructions, long multiplies and
 * umaal, nothing else, several hundred million instructions a second.
 *
 *   qemu-arm -plugin operation.so,snapshot=0xLO-0xHI,harness=0xLO-0xHI program
 *
 * What else harness/counters.py says of a program is of no use here.  A block of code in the
 * snapshot range opens the gate, and one in the harness range closes it; the blocks of a program are
 * counted only while it is open, and everything before the last opening is forgotten.  The numbers
 * go to stderr at the end. */
#include "a32.h"
#include "qemu_plugin.h"

#include <stdio.h>
#include <stdlib.h>

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv);

struct range {
    uint64_t lo, hi;
};

struct numbers {
    uint64_t instructions, mul_long, umaal;
};

static struct range snapshot, harness;
static struct numbers total;
static bool inside;

static bool in(struct range r, uint64_t address)
{
    return address - r.lo < r.hi - r.lo;
}

static void add(unsigned vcpu, void *block)
{
    const struct numbers *n = block;
    (void)vcpu;
    if (inside) {
        total.instructions += n->instructions;
        total.mul_long += n->mul_long;
        total.umaal += n->umaal;
    }
}

static void enter(unsigned vcpu, void *block)
{
    if (!inside)
        total = (struct numbers){0};
    inside = true;
    add(vcpu, block);
}

static void leave(unsigned vcpu, void *block)
{
    (void)vcpu, (void)block;
    inside = false;
}

/* Code with an instruction of two bytes is Thumb; the C library's, which has no long multiplies. */
static struct numbers numbers_of(const struct qemu_plugin_tb *tb)
{
    struct numbers found = {.instructions = qemu_plugin_tb_n_insns(tb)};

    for (size_t i = 0; i < found.instructions; i++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint32_t *opcode = qemu_plugin_insn_haddr(insn);
        if (qemu_plugin_insn_size(insn) != 4)
            return (struct numbers){.instructions = found.instructions};
        found.mul_long += a32_decode(*opcode)->class == A32_mul_long;
        found.umaal += a32_decode(*opcode)->class == A32_umaal;
    }
    return found;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
    struct numbers *block = malloc(sizeof *block);
    uint64_t at = qemu_plugin_tb_vaddr(tb);
    block_executed *f = in(harness, at) ? leave : in(snapshot, at) ? enter : add;
    (void)id;
    if (block == NULL)
        abort();
    *block = numbers_of(tb);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, f, NO_REGISTERS, block);
}

static void finish(uint64_t id, void *data)
{
    (void)id, (void)data;
    fprintf(stderr, "%llu %llu %llu\n", (unsigned long long)total.instructions,
            (unsigned long long)total.mul_long, (unsigned long long)total.umaal);
}

int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv)
{
    unsigned long long lo[2], hi[2];

    (void)info;
    if (argc < 2 || sscanf(argv[0], "snapshot=%llx-%llx", &lo[0], &hi[0]) != 2 ||
        sscanf(argv[1], "harness=%llx-%llx", &lo[1], &hi[1]) != 2)
        return -1;
    snapshot = (struct range){lo[0], hi[0]};
    harness = (struct range){lo[1], hi[1]};
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
