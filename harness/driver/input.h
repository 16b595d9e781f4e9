/* Text input, one line at a time, and the one way in which bad input ends the program. */
#ifndef INPUT_H
#define INPUT_H

#include "limbs.h"
#include <stddef.h>
#include <stdio.h>

/* Four numbers of 2048 bits and their names fit. */
#define LINE_LONGEST 4096

/* A file being read.  line counts from 1 and is that of text; 0 before the first. */
struct input {
    const char *name;
    FILE *file;
    size_t line;
    char text[LINE_LONGEST + 1];
};

/* Prints `file:line: fault` on stderr and ends the program with status 2.  The line is left out
 * when it is 0; without a file the program is named. */
_Noreturn void fault(const char *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The name stays the caller's. */
void input_open(struct input *in, const char *name);

/* Reads the next line that is neither blank nor a comment, without its line end.  False at the end
 * of the file, which is then closed. */
bool input_next(struct input *in);

/* Cuts text into fields at its spaces, except between quotation marks, which remain part of the
 * field.  Returns the number of fields found, of which the first `room` are stored. */
int input_fields(struct input *in, char *field[], int room);

/* The number written in hexadecimal by text; `what` names it in a fault. */
struct number input_number(const struct input *in, const char *what, const char *text);

/* The number whose bytes, highest first, are the characters of the quoted string text. */
struct number input_string(const struct input *in, const char *text);

/* The modulus written by text, with its constants: odd and at least 3. */
struct modulus input_modulus(const struct input *in, const char *text);

/* A fault unless x < n. */
void input_below(const struct input *in, const char *what, const struct number *x,
                 const struct modulus *m);

#endif
