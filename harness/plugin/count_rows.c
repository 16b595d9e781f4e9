/* The counter's output: tab-separated text, one line an instruction, the same bytes on every run.
 * */
#include "a32.h"
#include "count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
    const struct insn *insn;
    uint64_t executions, taken, loads, stores, mispredicted;
};

static struct row row_of(const struct block *b, const struct insn *insn)
{
    uint64_t inlined = insn->inline_2 > insn->inline_3 ? insn->inline_2 : insn->inline_3;
    int does = insn->rule->does;
    inlined += insn->each * b->executions;
    struct row r = {insn, b->executions, 0, insn->loads, insn->stores, 0};
    if (does & A32_BRANCHES)
        r.taken = b->taken;
    if (insn == b->branch)
        r.mispredicted = b->mispredicted;
    if (does & A32_LOADS)
        r.loads += inlined;
    else if (does & A32_STORES)
        r.stores += inlined;
    if (does == A32_STORES)
        r.loads = 0; /* strex is emulated by compare and swap */
    return r;
}

static int by_address(const void *a, const void *b)
{
    uint32_t x = ((const struct row *)a)->insn->address;
    uint32_t y = ((const struct row *)b)->insn->address;
    return (x > y) - (x < y);
}

static void print(FILE *f, const struct row *r)
{
    const struct insn *i = r->insn;
    int does = i->rule->does;
    fprintf(f, "0x%08" PRIx32 "\t%d\t0x%0*" PRIx32 "\t%s\t", i->address, i->size, 2 * i->size,
            i->opcode, a32_class_name(i->rule->class));
    fprintf(f, "%s%s%s\t", does & A32_LOADS ? "l" : "", does & A32_STORES ? "s" : "",
            does & A32_BRANCHES ? "b" : "");
    fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", r->executions,
            r->taken, r->loads, r->stores, r->mispredicted);
}

static int write_rows(FILE *f, const struct block *blocks)
{
    size_t n = 0, last = 0;
    for (const struct block *b = blocks; b != NULL; b = b->next)
        n += b->executions != 0 ? b->n : 0;
    struct row *rows = calloc(n + 1, sizeof *rows);
    if (rows == NULL)
        return -1;
    n = 0;
    for (const struct block *b = blocks; b != NULL; b = b->next)
        for (size_t i = 0; b->executions != 0 && i < b->n; i++)
            rows[n++] = row_of(b, &b->insns[i]);
    qsort(rows, n, sizeof *rows, by_address); /* translations of the same instruction now meet */

    fputs("address\tsize\topcode\tclass\tdoes\texecutions\ttaken\tload_accesses\tstore_accesses\t"
          "mispredicted\n",
          f);
    for (size_t i = 1; i < n; i++) {
        if (rows[i].insn->address == rows[last].insn->address) {
            rows[last].executions += rows[i].executions;
            rows[last].taken += rows[i].taken;
            rows[last].loads += rows[i].loads;
            rows[last].stores += rows[i].stores;
            rows[last].mispredicted += rows[i].mispredicted;
        } else {
            print(f, &rows[last]);
            last = i;
        }
    }
    if (n > 0)
        print(f, &rows[last]);
    free(rows);
    return ferror(f) ? -1 : 0;
}

bool calls_add(struct calls *calls)
{
    if (calls->count == calls->room) {
        calls->room = 2 * calls->count + 64;
        uint64_t *at = realloc(calls->at, calls->room * sizeof *at);
        if (at == NULL)
            return false;
        calls->at = at;
    }
    calls->at[calls->count++] = calls->spent;
    calls->spent = 0;
    return true;
}

static void write_calls(FILE *f, const struct calls *calls)
{
    fputs("calls", f);
    for (size_t i = 0; i < calls->count; i++)
        fprintf(f, "\t%" PRIu64, calls->at[i]);
    fputc('\n', f);
}

int count_write(const struct block *blocks, const struct calls *calls, const char *temporary,
                const char *out)
{
    FILE *f = fopen(temporary, "w");
    if (f == NULL)
        return -1;
    int bad = write_rows(f, blocks);
    write_calls(f, calls);
    bad |= ferror(f) | fclose(f);
    if (bad == 0)
        bad = rename(temporary, out);
    if (bad != 0)
        remove(temporary);
    return bad;
}
