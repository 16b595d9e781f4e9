/* The part of QEMU's plugin interface, versions 1 and up, that the counter uses: Debian does not
 * package the header.  Nothing here differs between the versions but what is marked weak. */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    /* more follows */
} qemu_info_t;

enum { NO_REGISTERS = 0, ADD_U64 = 0, READS = 1, WRITES = 2, READS_AND_WRITES = 3 };

typedef void block_translated(uint64_t id, struct qemu_plugin_tb *tb);
typedef void block_executed(unsigned vcpu, void *data);
typedef void memory_accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data);
typedef void program_ended(uint64_t id, void *data);
typedef void system_called(uint64_t id, unsigned vcpu, int64_t number, uint64_t, uint64_t, uint64_t,
                           uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, block_translated *f);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, block_executed *f, int flags,
                                          void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *counter,
                                              uint64_t n) __attribute__((weak));
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_accessed *f, int flags,
                                      int rw, void *data);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, int rw, int op,
                                          void *counter, uint64_t n) __attribute__((weak));
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, system_called *f);
void qemu_plugin_register_atexit_cb(uint64_t id, program_ended *f, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);
unsigned qemu_plugin_mem_size_shift(uint32_t info);

#endif
