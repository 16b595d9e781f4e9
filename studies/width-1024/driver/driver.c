/* The program around the operations of studies/width-1024 (nat.h):
 *
 *     long check FILE      every line, with aliased operands, guard words and preserved registers
 *     long count FILE      the first line as one plain call; the C library runs only before it, as the
 *                          counters want it
 *     long answer FILE     every line as one plain call, and the results are printed, a line each
 *
 * A line is `OPERATION K LEVELS SQUARES METHOD WINDOW NUMBER...`: decimal settings, then hexadecimal
 * numbers: operands, then (but for `answer`) the result.
 *
 *     multiply  x y xy         square    x xx            mont_mul  n x y z       mont_sqr  n x z
 *     mod_exp   n x e z        private   n p q dp dq qinv e x z
 *     add       x y z          subtract  x y z            subtract_masked  x y mask z
 *
 * Sums have one limb more, for the carry or the sign.
 * A number that is too long for its operation is refused, the result, too.
 * METHOD is 0 (binary), 1 (fixed window) or 2 (sliding window); WINDOW is in bits, 0 for the best.  q < p.
 *
 * Status 0: all was right.  1: a result is wrong.  2: bad usage or bad input, in one line. */
#include "checks.h"
#include "evaluate.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In harness/driver/abi.S: writes text to stdout without the C library.  How many bytes were written. */
long write_out(const char *text, size_t size);

/* A line has a private key's numbers at most. */
#define LONGEST (MOST_NUMBERS * (8 * MOST_LIMBS + 1) + 80)

static void print_number(const uint32_t *x, uint32_t k)
{
    for (uint32_t i = k; i-- > 0;)
        printf("%08lx", (unsigned long)x[i]);
    putchar('\n');
}

static void do_line(const struct line *l, const char *command)
{
    uint32_t z[MOST_LIMBS] = {0};
    if (strcmp(command, "check") == 0) {
        check_line(l);
        return;
    }
    bool answering = strcmp(command, "answer") == 0;
    uint32_t width = evaluate(l, z);
    if (answering)
        print_number(z, width);
    else if (compare(z, l->value[l->values - 1], width) != 0)
        wrong(l, "a wrong result");
}

int main(int argc, char **argv)
{
    static char text[LONGEST + 2];
    static struct line l;
    if (argc != 3 || (strcmp(argv[1], "check") != 0 && strcmp(argv[1], "count") != 0 &&
                      strcmp(argv[1], "answer") != 0))
        fault(NULL, "usage: long check|count|answer FILE");
    bool counting = strcmp(argv[1], "count") == 0;
    FILE *file = fopen(argv[2], "r");
    if (file == NULL)
        fault(NULL, "%s: %s", argv[2], strerror(errno));
    l.file = argv[2];
    size_t lines = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        l.number++;
        if (strchr(text, '\n') == NULL)
            fault(&l, "not a whole line, or too long");
        if (text[0] == '#' || text[0] == '\n')
            continue;
        read_line(&l, text, strcmp(argv[1], "answer") != 0);
        do_line(&l, argv[1]);
        lines++;
        if (counting)
            return write_out("1 line\n", 7) == 7 ? 0 : 2;
    }
    if (lines == 0)
        fault(NULL, "%s: no line to %s", argv[2], argv[1]);
    if (strcmp(argv[1], "answer") != 0)
        printf("%zu lines\n", lines);
    if (fflush(stdout) != 0 || ferror(stdout))
        fault(NULL, "cannot write the result: %s", strerror(errno));
    return 0;
}
