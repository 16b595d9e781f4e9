/* Reading: what is no line of input is refused before anything is computed. */
#include "line.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fault(const struct line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (l == NULL)
        fprintf(stderr, "long: ");
    else
        fprintf(stderr, "%s:%zu: ", l->file, l->number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(2);
}

_Noreturn void wrong(const struct line *l, const char *how)
{
    fprintf(stderr, "%s:%zu: %s of %lu limbs: %s\n", l->file, l->number, l->operation,
            (unsigned long)l->k, how);
    exit(1);
}

int compare(const uint32_t *x, const uint32_t *y, uint32_t k)
{
    for (uint32_t i = k; i-- > 0;)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void read_number(const struct line *l, uint32_t *x, const char *text)
{
    size_t digits = strlen(text);
    if (digits == 0 || digits > 8 * MOST_LIMBS || strspn(text, "0123456789abcdef") != digits)
        fault(l, "'%.20s' is no hexadecimal number of at most %d bits", text, 32 * MOST_LIMBS);
    memset(x, 0, MOST_LIMBS * sizeof *x);
    for (size_t i = 0; i < digits; i++) {
        char c = text[digits - 1 - i];
        x[i / 8] |= (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10) << 4 * (i % 8);
    }
}

/* Ends the program unless x, which has MOST_LIMBS limbs, has no more than k. */
static void fits(const struct line *l, const uint32_t *x, uint32_t k, const char *what)
{
    for (uint32_t i = k; i < MOST_LIMBS; i++)
        if (x[i] != 0)
            fault(l, "%s has more than %lu limbs", what, (unsigned long)k);
}

void twice(uint32_t *x, const uint32_t *n, uint32_t k)
{
    uint32_t top = x[k - 1] >> 31, borrow = 0;
    for (uint32_t i = k; i-- > 0;)
        x[i] = x[i] << 1 | (i > 0 ? x[i - 1] >> 31 : 0);
    if (top == 0 && compare(x, n, k) < 0)
        return;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t difference = (uint64_t)x[i] - n[i] - borrow;
        x[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
}

struct modulus derive(const struct line *l, const uint32_t *n, uint32_t k, const char *what)
{
    struct modulus m = {.limbs = k, .n0inv = 1, .levels = l->levels, .squares = l->squares};
    if (n[0] % 2 == 0)
        fault(l, "%s is even: Montgomery's method needs an odd modulus", what);
    memcpy(m.n, n, k * sizeof *n);
    uint32_t low[MAX_LIMBS] = {1};
    if (compare(m.n, low, k) <= 0)
        fault(l, "%s is 1: a modulus is 3 at least", what);
    for (int i = 0; i < 5; i++) /* Newton: five steps double the right bits from 1 to 32 */
        m.n0inv *= 2 - n[0] * m.n0inv;
    m.n0inv = 0 - m.n0inv;
    m.rr[0] = 1;
    for (uint32_t i = 0; i < 64 * k; i++)
        twice(m.rr, m.n, k);
    return m;
}

/* How many limbs a number may have: k, half of them, twice as many, one more, one, two. */
enum size { WHOLE, HALF, TWICE, SUM, ONE, TWO };

static uint32_t limbs_of(enum size size, uint32_t k)
{
    const uint32_t limbs[] = {k, k / 2, 2 * k, k + 1, 1, 2};
    return limbs[size];
}

/* The numbers of a line, the result last. */
struct form {
    const char *operation;
    size_t count;
    struct {
        const char *name;
        enum size size;
    } number[MOST_NUMBERS];
};

static const struct form forms[] = {
    {"multiply", 3, {{"x", WHOLE}, {"y", WHOLE}, {"the result", TWICE}}},
    {"square", 2, {{"x", WHOLE}, {"the result", TWICE}}},
    {"mont_mul", 4, {{"n", WHOLE}, {"x", WHOLE}, {"y", WHOLE}, {"the result", WHOLE}}},
    {"mont_sqr", 3, {{"n", WHOLE}, {"x", WHOLE}, {"the result", WHOLE}}},
    {"mod_exp", 4, {{"n", WHOLE}, {"x", WHOLE}, {"e", WHOLE}, {"the result", WHOLE}}},
    {"private",
     9,
     {{"n", WHOLE},
      {"p", HALF},
      {"q", HALF},
      {"dp", HALF},
      {"dq", HALF},
      {"qinv", HALF},
      {"e", TWO},
      {"x", WHOLE},
      {"the result", WHOLE}}},
    {"add", 3, {{"x", WHOLE}, {"y", WHOLE}, {"the result", SUM}}},
    {"subtract", 3, {{"x", WHOLE}, {"y", WHOLE}, {"the result", SUM}}},
    {"subtract_masked", 4, {{"x", WHOLE}, {"y", WHOLE}, {"the mask", ONE}, {"the result", SUM}}},
};

static uint32_t setting(const struct line *l, const char *text, const char *what, uint32_t least,
                        uint32_t most)
{
    char *end = NULL;
    unsigned long value = text == NULL ? 0 : strtoul(text, &end, 10);
    if (text == NULL || *text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        fault(l, "%s must be a number from %lu to %lu", what, (unsigned long)least,
              (unsigned long)most);
    return (uint32_t)value;
}

void read_line(struct line *l, char *text, bool with_result)
{
    l->operation = strtok(text, " \n");
    size_t i = 0;
    while (i < sizeof forms / sizeof *forms && strcmp(forms[i].operation, l->operation) != 0)
        i++;
    if (i == sizeof forms / sizeof *forms)
        fault(l, "'%.20s' is no operation", l->operation);
    l->k = setting(l, strtok(NULL, " \n"), "the size in limbs", 1, MAX_LIMBS);
    l->levels = setting(l, strtok(NULL, " \n"), "levels", 0, 4);
    l->squares = setting(l, strtok(NULL, " \n"), "squares", 0, 1);
    l->method = setting(l, strtok(NULL, " \n"), "method", BINARY, SLIDING);
    l->window = setting(l, strtok(NULL, " \n"), "window", 0, MAX_WINDOW);
    bool halves = strcmp(l->operation, "private") == 0;
    if (l->k % ((halves ? 2U : 1U) << l->levels) != 0)
        fault(l, "%lu limbs cannot be halved %lu times", (unsigned long)l->k,
              (unsigned long)(l->levels + halves));
    l->values = forms[i].count - !with_result;
    for (size_t j = 0; j < l->values; j++) {
        char *number = strtok(NULL, " \n");
        if (number == NULL)
            fault(l, "%s needs %zu numbers", l->operation, l->values);
        read_number(l, l->value[j], number);
        fits(l, l->value[j], limbs_of(forms[i].number[j].size, l->k), forms[i].number[j].name);
    }
    if (strtok(NULL, " \n") != NULL)
        fault(l, "more than the %zu numbers that %s needs", l->values, l->operation);
}
