/* The program around the operations of studies/width-1024 (nat.h):
 *
 *     long check FILE      every line, with aliased operands, guard words and preserved registers
 *     long count FILE      every line as one plain call
 *     long answer FILE     the same, and the results are printed, a line each
 *
 * A line is `OPERATION K LEVELS SQUARES METHOD WINDOW NUMBER...`: decimal settings, then hexadecimal
 * numbers: operands, then (but for `answer`) the result.
 *
 *     multiply  x y xy         square    x xx            mont_mul  n x y z       mont_sqr  n x z
 *     mod_exp   n x e z        private   n p q dp dq qinv e x z
 *     add       x y z          subtract  x y z            subtract_masked  x y mask z
 *
 * Sums have one limb more, for the carry or the sign.
 * METHOD is 0 (binary), 1 (fixed window) or 2 (sliding window); WINDOW is in bits, 0 for the best.  q < p.
 *
 * Status 0: all was right.  1: a result is wrong.  2: bad usage or bad input, in one line. */
#include "operations.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A line has a private key's numbers at most. */
#define LONGEST (MOST_NUMBERS * (8 * MOST_LIMBS + 1) + 80)

static struct private_key read_key(const struct line *l)
{
    const uint32_t h = l->k / 2;
    const uint32_t *n = l->value[0], *p = l->value[1], *q = l->value[2];
    struct private_key key = {
        .n = derive(l, n, l->k, "n"), .p = derive(l, p, h, "p"), .q = derive(l, q, h, "q")};
    static const char *const names[] = {"dp", "dq", "qinv"};
    uint32_t *const places[] = {key.dp, key.dq, key.qinv};
    if (compare(q, p, h) >= 0)
        fault(l, "q must be below p");
    for (size_t i = 0; i < 3; i++) {
        fits(l, l->value[3 + i], h, names[i]);
        memcpy(places[i], l->value[3 + i], h * sizeof **places);
    }
    if (compare(key.qinv, p, h) >= 0)
        fault(l, "qinv must be below p");
    for (uint32_t i = 0; i < 32 * h; i++) /* into the Montgomery domain modulo p */
        twice(key.qinv, p, h);
    fits(l, l->value[6], 2, "e");
    memcpy(key.e, l->value[6], sizeof key.e);
    return key;
}

bool is_sum(const struct line *l)
{
    return strcmp(l->operation, "add") == 0 || strstr(l->operation, "subtract") != NULL;
}

void sum(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct line *l)
{
    if (strcmp(l->operation, "add") == 0)
        z[l->k] = add(z, x, y, l->k);
    else if (strcmp(l->operation, "subtract") == 0)
        z[l->k] = 0 - subtract(z, x, y, l->k);
    else
        z[l->k] = 0 - subtract_masked(z, x, y, l->k, l->value[2][0]);
}

uint32_t evaluate(const struct line *l, uint32_t *z)
{
    const uint32_t (*v)[MOST_LIMBS] = l->value;
    if (is_sum(l)) {
        sum(z, v[0], v[1], l);
        return l->k + 1;
    }
    if (strcmp(l->operation, "multiply") == 0) {
        karatsuba_multiply(z, v[0], v[1], l->k, l->levels);
        return 2 * l->k;
    }
    if (strcmp(l->operation, "square") == 0) {
        karatsuba_square(z, v[0], l->k, l->levels);
        return 2 * l->k;
    }
    if (strcmp(l->operation, "private") == 0) {
        struct private_key key = read_key(l);
        if (compare(v[7], v[0], l->k) >= 0)
            fault(l, "x must be below n");
        if (!private_crt(z, v[7], &key, l->method, l->window))
            wrong(l, "the result does not verify, so it is withheld");
        return l->k;
    }
    struct modulus m = derive(l, v[0], l->k, "n");
    if (strcmp(l->operation, "mont_mul") == 0)
        mont_mul(z, v[1], v[2], &m);
    else if (strcmp(l->operation, "mont_sqr") == 0)
        mont_sqr(z, v[1], &m);
    else if (compare(v[1], v[0], l->k) >= 0)
        fault(l, "x must be below n");
    else
        mod_exp(z, v[1], v[2], 32 * l->k, &m, l->method, l->window);
    return l->k;
}

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
    uint32_t width = evaluate(l, z);
    if (strcmp(command, "answer") == 0)
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
    }
    if (lines == 0)
        fault(NULL, "%s: no line to %s", argv[2], argv[1]);
    if (strcmp(argv[1], "answer") != 0)
        printf("%zu lines\n", lines);
    if (fflush(stdout) != 0 || ferror(stdout))
        fault(NULL, "cannot write the result: %s", strerror(errno));
    return 0;
}
