/* Numbers as text: hexadecimal or a quoted string, and the bounds that the contract sets. */
#include "input.h"
#include <string.h>

/* The value of a hexadecimal digit, or -1. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

struct number input_number(const struct input *in, const char *what, const char *text)
{
    struct number x = {{0}};
    for (const char *c = text; *c != '\0'; c++) {
        int digit = digit_value(*c);
        if (digit < 0)
            fault(in->name, in->line, "%s: '%c' is not a hexadecimal digit", what, *c);
        number_append_digit(&x, (uint32_t)digit);
    }
    if (strlen(text) > HEX_DIGITS)
        fault(in->name, in->line, "%s has %zu digits; %d bits hold %d", what, strlen(text), WIDTH,
              HEX_DIGITS);
    return x;
}

struct number input_string(const struct input *in, const char *text)
{
    struct number x = {{0}};
    size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"' ||
        strcspn(text + 1, "\"") != length - 2)
        fault(in->name, in->line, "misplaced quotation mark");
    if (length == 2)
        fault(in->name, in->line, "empty string");
    if (length - 2 > WIDTH / 8)
        fault(in->name, in->line, "string of %zu characters; %d bits hold %d", length - 2, WIDTH,
              WIDTH / 8);
    for (const char *c = text + 1; *c != '"'; c++) {
        if (*c == '\\')
            fault(in->name, in->line,
                  "backslash in a string: there are no escapes; write hexadecimal");
        number_append_digit(&x, (uint32_t)*c >> 4);
        number_append_digit(&x, (uint32_t)*c & 15);
    }
    return x;
}

struct modulus input_modulus(const struct input *in, const char *text)
{
    struct number n = input_number(in, "n", text);
    struct number three = {{3}};
    struct modulus m;
    if (number_compare(n.limb, three.limb) < 0)
        fault(in->name, in->line, "modulus is below 3");
    if ((n.limb[0] & 1) == 0)
        fault(in->name, in->line, "modulus is even");
    modulus_derive(&m, &n);
    return m;
}

void input_below(const struct input *in, const char *what, const struct number *x,
                 const struct modulus *m)
{
    if (number_compare(x->limb, m->n) >= 0)
        fault(in->name, in->line, "%s is not below n", what);
}
