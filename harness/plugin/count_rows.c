/* The counter's output: tab-separated text, one line an instruction, the same bytes on every run.
 * */
#include "a32.h"
#include "count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
    uint32_t x = ((const struct row *)a)->address;
    uint32_t y = ((const struct row *)b)->address;
    return (x > y) - (x < y);
}

static void print(FILE *f, const struct row *r)
{
    int does = r->rule->does;
    uint64_t loads = does == A32_STORES ? 0 : r->loads; /* strex is emulated by compare and swap */
    fprintf(f, "0x%08" PRIx32 "\t%d\t0x%0*" PRIx32 "\t%s\t", r->address, r->size, 2 * r->size,
            r->opcode, a32_class_name(r->rule->class));
    fprintf(f, "%s%s%s\t", does & A32_LOADS ? "l" : "", does & A32_STORES ? "s" : "",
            does & A32_BRANCHES ? "b" : "");
    fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", r->executions,
            r->taken, loads, r->stores, r->mispredicted);
}

static int write_rows(FILE *f, struct row *rows, size_t n)
{
    size_t last = 0;
    qsort(rows, n, sizeof *rows, by_address); /* translations of the same instruction now meet */
    fputs("address\tsize\topcode\tclass\tdoes\texecutions\ttaken\tload_accesses\tstore_accesses\t"
          "mispredicted\n",
          f);
    for (size_t i = 1; i < n; i++) {
        if (rows[i].address == rows[last].address) {
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

int count_write(struct row *rows, size_t n, const struct calls *calls, const char *out)
{
    char *temporary = malloc(strlen(out) + sizeof ".tmp");
    if (temporary == NULL)
        return -1;
    FILE *f = fopen(strcat(strcpy(temporary, out), ".tmp"), "w");
    int bad = f == NULL;
    if (f != NULL) {
        bad = write_rows(f, rows, n);
        write_calls(f, calls);
        bad |= ferror(f) | fclose(f);
    }
    if (bad == 0)
        bad = rename(temporary, out);
    if (bad != 0)
        remove(temporary);
    free(temporary);
    return bad;
}
