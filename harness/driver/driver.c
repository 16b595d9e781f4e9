/* The program that is linked with each snapshot:
 *
 *     rsa check CALLS           every call between guard words, and in its aliased forms
 *     rsa call CALLS [COUNT]    every call once, as it is, or the first COUNT of them
 *     rsa time CALLS            every call once, with its time
 *
 * A line of CALLS (harness/operands.py writes them) is
 *
 *     FUNCTION KIND N RR N0INV X Y
 *
 * with all numbers in hexadecimal, as many digits as the limbs have.  X is `=` where it is the result
 * of the call before; Y is the exponent of mod_exp; a product of the kind `aliasing` has aliased
 * forms.  The results are printed, a line each, and compared by whoever has asked: this program holds
 * none but what it encrypts first, and can compute none.  `check` prints each at once, so that a crash
 * tells its call; the others print them when all is done, and `time` beside each the nanoseconds of
 * real time and the microseconds of the processor's that it took.
 *
 * `call` is what is counted.  From its first call until its results are written it runs nothing of the
 * C library, so that the counters can refuse all code but the snapshot's and this program's own.
 *
 * Status 0: done.  1: more than z was changed, or an aliased form differs.  2: bad usage or input. */
#define _POSIX_C_SOURCE 200809L
#include "driver.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST (4 * DIGITS + 80)

static _Noreturn void stop(const char *what, size_t line)
{
    fprintf(stderr, "rsa: %s", what);
    fprintf(stderr, line > 0 ? " in line %zu\n" : "\n", line);
    exit(2);
}

/* x := the number of `limbs` limbs that text is. */
static bool parse(uint32_t *x, size_t limbs, const char *text)
{
    if (text == NULL || strspn(text, "0123456789abcdef") != 8 * limbs || text[8 * limbs] != '\0')
        return false;
    for (size_t i = 0; i < limbs; i++)
        if (sscanf(text + 8 * (limbs - 1 - i), "%8" SCNx32, &x[i]) != 1)
            return false;
    return true;
}

static bool parse_call(struct call *c, char *line)
{
    const char *function = strtok(line, " \n"), *kind = strtok(NULL, " \n");
    bool right = function != NULL && kind != NULL && parse(c->m.n, LIMBS, strtok(NULL, " \n")) &&
                 parse(c->m.rr, LIMBS, strtok(NULL, " \n")) &&
                 parse(&c->m.n0inv, 1, strtok(NULL, " \n"));
    const char *x = right ? strtok(NULL, " \n") : NULL;
    if (x == NULL)
        return false;
    c->power = strcmp(function, "mod_exp") == 0;
    c->aliased = strcmp(kind, "aliasing") == 0;
    c->chained = strcmp(x, "=") == 0;
    return (c->power || strcmp(function, "mont_mul") == 0) &&
           (c->chained || parse(c->x, LIMBS, x)) && parse(c->y, LIMBS, strtok(NULL, " \n")) &&
           strtok(NULL, " \n") == NULL;
}

static struct call *read_calls(const char *name, size_t *count)
{
    static char line[LONGEST];
    struct call *calls = NULL;
    FILE *file = fopen(name, "r");
    if (file == NULL)
        stop("the file of calls cannot be opened", 0);
    for (*count = 0; fgets(line, sizeof line, file) != NULL; ++*count) {
        if ((*count & (*count - 1)) == 0) /* room for twice as many */
            calls = realloc(calls, (2 * *count + 1) * sizeof *calls);
        if (calls == NULL)
            stop("out of memory", 0);
        memset(&calls[*count], 0, sizeof *calls);
        if (strchr(line, '\n') == NULL || !parse_call(&calls[*count], line) ||
            (*count == 0 && calls->chained))
            stop("no call", *count + 1);
    }
    if (ferror(file) || *count == 0)
        stop("no calls in this file", 0);
    fclose(file);
    return calls;
}

static long long real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long long clock_us(void)
{
    return (long long)clock() * 1000000 / CLOCKS_PER_SEC;
}

/* A chained call takes the result of the call before where that stands. */
static void make_call(struct call *c)
{
    const uint32_t *x = c->chained ? c[-1].z : c->x;
    plain_call(c->z, x, c->y, &c->m, c->power ? mod_exp : mont_mul);
}

/* The finer clock is the inner one. */
static void timed_call(struct call *c)
{
    long long clock_start = clock_us();
    long long real_start = real_ns();
    make_call(c);
    c->real_ns = real_ns() - real_start;
    c->clock_us = clock_us() - clock_start;
}

static void time_calls(struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        timed_call(&calls[i]);
    for (size_t i = 0; i < count; i++) {
        print_result(calls[i].z, "");
        printf(" %lld %lld\n", calls[i].real_ns, calls[i].clock_us);
    }
}

/* False: the results cannot be written. */
static bool make_calls(struct call *calls, size_t count)
{
    size_t size = count * (DIGITS + 1);
    char *text = malloc(size);
    if (text == NULL)
        stop("out of memory", 0);
    for (size_t i = 0; i < count; i++)
        make_call(&calls[i]);
    for (size_t i = 0; i < count; i++) {
        char *line = text + i * (DIGITS + 1);
        put_digits(line, calls[i].z);
        line[DIGITS] = '\n';
    }
    size_t done = 0;
    while (done < size) {
        long written = write_out(text + done, size - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    free(text);
    return done == size;
}

/* COUNT, from 1 to what there is. */
static size_t parse_count(const char *text, size_t most)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    if (*text < '1' || *text > '9' || *end != '\0' || count > most)
        stop("COUNT is no number of these calls", 0);
    return count;
}

int main(int argc, char **argv)
{
    const char *way = argc == 3 || argc == 4 ? argv[1] : "";
    bool calling = strcmp(way, "call") == 0;
    bool timing = strcmp(way, "time") == 0 && argc == 3;
    bool checking = strcmp(way, "check") == 0 && argc == 3;
    bool faulty = false;
    bool written = true;
    size_t count;
    if (!calling && !timing && !checking)
        stop("usage: rsa check|time CALLS, rsa call CALLS [COUNT]", 0);
    struct call *calls = read_calls(argv[2], &count);
    if (checking)
        faulty = check_calls(calls, count);
    else if (timing)
        time_calls(calls, count);
    else
        written = make_calls(calls, argc == 4 ? parse_count(argv[3], count) : count);
    free(calls);
    if (!written || fflush(stdout) != 0 || ferror(stdout))
        stop("the results cannot be written", 0);
    return faulty;
}
