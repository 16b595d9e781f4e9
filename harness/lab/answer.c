/* The program in which an exercise is counted and judged: answer QUESTIONS ANSWERS.
 *
 * A line of QUESTIONS is an operation and the limbs of n, R^2 mod n, n0inv, x and y (the exponent of
 * mod_exp), the lowest first, in hexadecimal.  The same line of ANSWERS gets the limbs of z.  The
 * expected results are compared elsewhere: no memory of this program holds one, and no code of it can
 * compute one.  Each answer is written before the next call, so that a crash tells its question. */
#include "snapshot.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "answer: %s\n", what);
    exit(2);
}

static void read_limbs(FILE *in, uint32_t *limb, int count)
{
    for (int i = 0; i < count; i++) {
        unsigned long value;
        if (fscanf(in, "%lx", &value) != 1)
            stop("a question ends too early");
        limb[i] = (uint32_t)value;
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    FILE *out = argc == 3 ? fopen(argv[2], "w") : NULL;
    char operation[16];
    if (in == NULL || out == NULL)
        stop("usage: answer QUESTIONS ANSWERS");
    while (fscanf(in, "%15s", operation) == 1) {
        struct modulus m;
        uint32_t x[LIMBS], y[LIMBS], z[LIMBS];
        bool power = strcmp(operation, "mod_exp") == 0;
        read_limbs(in, m.n, LIMBS);
        read_limbs(in, m.rr, LIMBS);
        read_limbs(in, &m.n0inv, 1);
        read_limbs(in, x, LIMBS);
        read_limbs(in, y, LIMBS);
        memset(z, 0xee, sizeof z);
        (power ? mod_exp : mont_mul)(z, x, y, &m);
        for (int i = 0; i < LIMBS; i++)
            fprintf(out, "%08lx%c", (unsigned long)z[i], i == LIMBS - 1 ? '\n' : ' ');
        if (fflush(out) != 0)
            stop("cannot write an answer");
    }
    return 0;
}
