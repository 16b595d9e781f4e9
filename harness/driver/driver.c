/* The program that is linked with each snapshot:
 *
 *     rsa check [-r SEED] FILE...                            every vector, with its aliased forms
 *     rsa count [-k KIND] [-n COUNT] FILE                    one plain call a vector
 *     rsa roundtrip KEY {[-s FIRST] [-n COUNT] FILE}...      encrypts and decrypts every message
 *     rsa time KEY {[-s FIRST] [-n COUNT] FILE}...           the same, with raw times
 *
 * -r checks operands drawn with a seed, too, -k takes the vectors of one kind, -s leaves out the
 * first messages of the next file, -n takes that many and no more.  Status 0: all was right.  1: the
 * snapshot computed something wrong.  2: bad usage or bad input.  Everything is read before anything
 * is computed, and nothing is printed on stdout before everything has been computed, so that no
 * result is ever that of bad input. */
#include "commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A part of a file: records [first, first + count), or to the end when no count was given. */
struct part {
    const char *kind;
    size_t first, count, seed;
    bool counted, seeded;
};

/* The number that follows option `name`, at least `least`. */
static size_t parse_count(const char *name, const char *text, size_t least)
{
    if (text == NULL)
        fault(NULL, 0, "%s needs a number", name);
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (digits == 0 || text[digits] != '\0' || errno != 0 || value > SIZE_MAX || value < least)
        fault(NULL, 0, "%s needs a whole number from %zu, not '%s'", name, least, text);
    return (size_t)value;
}

/* Reads options up to the next file, which it returns; `allowed` holds their letters. */
static const char *parse_part(char ***argument, struct part *part, const char *allowed)
{
    *part = (struct part){0};
    for (; **argument != NULL && ***argument == '-'; *argument += 2) {
        const char *option = **argument;
        const char *value = (*argument)[1];
        if (strlen(option) != 2 || strchr(allowed, option[1]) == NULL)
            fault(NULL, 0, "unknown option '%s' here", option);
        if (option[1] == 'k' && value == NULL)
            fault(NULL, 0, "-k needs the name of a kind");
        if (option[1] == 'k')
            part->kind = value;
        else if (option[1] == 's')
            part->first = parse_count("-s", value, 0);
        else if (option[1] == 'r') {
            part->seed = parse_count("-r", value, 0);
            part->seeded = true;
        } else {
            part->count = parse_count("-n", value, 1);
            part->counted = true;
        }
    }
    if (**argument == NULL)
        fault(NULL, 0, "an input file is missing");
    return *(*argument)++;
}

/* Sets part->count for a file that holds `held` records; a fault when it does not hold them all. */
static void settle_part(struct part *part, const char *file, size_t held, const char *what)
{
    if (part->first >= held)
        fault(file, 0, "-s %zu leaves nothing: there are %zu %s", part->first, held, what);
    if (!part->counted)
        part->count = held - part->first;
    if (part->count > held - part->first)
        fault(file, 0, "-n %zu is too many: there are %zu %s from %zu on", part->count,
              held - part->first, what, part->first);
}

static void check(char **argument)
{
    struct vectors list = {0};
    struct part first, part;
    read_vectors(&list, parse_part(&argument, &first, "r"));
    while (*argument != NULL)
        read_vectors(&list, parse_part(&argument, &part, ""));
    for (size_t i = 0; i < list.count; i++)
        check_vector(&list.at[i]);
    size_t drawn = first.seeded ? check_drawn((uint32_t)first.seed) : 0;
    printf("%zu vectors", list.count);
    if (first.seeded)
        printf(" and %zu drawn with seed %zu", drawn, first.seed);
    puts("");
    free(list.at);
}

static void count(char **argument)
{
    struct vectors list = {0};
    struct part part;
    const char *file = parse_part(&argument, &part, "kn");
    if (*argument != NULL)
        fault(NULL, 0, "count takes one file; '%s' is another", *argument);
    read_vectors(&list, file);
    size_t held = 0;
    for (size_t i = 0; i < list.count; i++)
        if (part.kind == NULL || strcmp(list.at[i].kind, part.kind) == 0)
            list.at[held++] = list.at[i];
    if (held == 0)
        fault(file, 0, "no vector of the kind '%s'", part.kind);
    settle_part(&part, file, held, "vectors");
    for (size_t i = 0; i < part.count; i++)
        call_vector(&list.at[i]);
    printf("%zu calls\n", part.count);
    free(list.at);
}

/* Appends the part's messages to the list. */
static void add_messages(struct messages *list, const char *file, struct part *part,
                         const struct key *key)
{
    size_t start = list->count;
    settle_part(part, file, read_messages(list, file, key), "messages");
    memmove(&list->at[start], &list->at[start + part->first], part->count * sizeof *list->at);
    list->count = start + part->count;
}

/* One line a message of this run, counted from 0. */
static void print_times(const struct round_trip *trip, size_t count)
{
    puts("index encrypt_clock_us encrypt_ns decrypt_clock_us decrypt_ns");
    for (size_t i = 0; i < count; i++)
        printf("%zu %lld %lld %lld %lld\n", i, trip[i].encrypt.clock_us, trip[i].encrypt.real_ns,
               trip[i].decrypt.clock_us, trip[i].decrypt.real_ns);
}

static void round_trips(char **argument, bool timed)
{
    struct messages list = {0};
    struct part part;
    const char *key_file = parse_part(&argument, &part, "");
    struct key key = read_key(key_file);
    do {
        const char *file = parse_part(&argument, &part, "sn");
        add_messages(&list, file, &part, &key);
    } while (*argument != NULL);

    struct round_trip *trip = calloc(list.count, sizeof *trip);
    if (trip == NULL)
        fault(NULL, 0, "out of memory");
    for (size_t i = 0; i < list.count; i++)
        trip[i] = make_round_trip(&key, &list.at[i]);
    if (timed)
        print_times(trip, list.count);
    else
        printf("%zu round trips\n", list.count);
    free(trip);
    free(list.at);
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "check") == 0)
        check(argv + 2);
    else if (strcmp(command, "count") == 0)
        count(argv + 2);
    else if (strcmp(command, "roundtrip") == 0 || strcmp(command, "time") == 0)
        round_trips(argv + 2, strcmp(command, "time") == 0);
    else
        fault(NULL, 0, "'%s' is no command: use check, count, roundtrip or time", command);
    if (fflush(stdout) != 0 || ferror(stdout))
        fault(NULL, 0, "cannot write the result: %s", strerror(errno));
    return 0;
}
