/* Lines: what a text file must look like before anyone asks what it means. */
#include "input.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fault(const char *file, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:", file != NULL ? file : "rsa");
    if (line > 0)
        fprintf(stderr, "%zu:", line);
    fputc(' ', stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void input_open(struct input *in, const char *name)
{
    in->name = name;
    in->line = 0;
    in->file = fopen(name, "r");
    if (in->file == NULL)
        fault(name, 0, "cannot open: %s", strerror(errno));
}

/* Reads one line into text and checks its bytes.  A line that does not end is a file cut short: its
 * last number may have lost digits and still look like a number. */
static bool read_line(struct input *in)
{
    size_t length = 0;
    int c;
    in->line++;
    while ((c = getc(in->file)) != EOF && c != '\n') {
        if (c == '\0')
            fault(in->name, in->line, "NUL byte: not a text file");
        if (length == LINE_LONGEST)
            fault(in->name, in->line, "line longer than %d characters", LINE_LONGEST);
        in->text[length++] = (char)c;
    }
    in->text[length] = '\0';
    if (ferror(in->file))
        fault(in->name, 0, "cannot read: %s", strerror(errno));
    if (c == EOF && length > 0)
        fault(in->name, in->line, "truncated: the last line has no line end");
    if (c == EOF && in->line == 1)
        fault(in->name, in->line, "empty file");
    if (length > 0 && in->text[length - 1] == '\r')
        fault(in->name, in->line, "CRLF line ends; convert with: sed -i 's/\\r$//' FILE");
    return c != EOF;
}

/* A stray control character or a letter outside ASCII would make a fault unreadable, so none goes
 * further than this.  Comments may hold any character. */
static void check_characters(const struct input *in)
{
    for (const char *c = in->text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            fault(in->name, in->line, "byte 0x%02x is not printable ASCII", (unsigned char)*c);
}

bool input_next(struct input *in)
{
    do {
        if (!read_line(in)) {
            fclose(in->file);
            return false;
        }
    } while (in->text[0] == '#' || in->text[0] == '\0');
    check_characters(in);
    return true;
}

int input_fields(struct input *in, char *field[], int room)
{
    int count = 0;
    char *c = in->text;
    for (;;) {
        while (*c == ' ')
            *c++ = '\0';
        if (*c == '\0')
            return count;
        if (count < room)
            field[count] = c;
        count++;
        bool quoted = false;
        for (; *c != '\0' && (quoted || *c != ' '); c++)
            quoted ^= *c == '"';
        if (quoted)
            fault(in->name, in->line, "string without its closing quotation mark");
    }
}
