/* Lines to records: every number is checked against the contract before anything is computed. */
#include "records.h"
#include <stdlib.h>
#include <string.h>

struct key read_key(const char *name)
{
    static struct input in;
    struct key key;
    char *field[2];
    size_t seen[3] = {0}; /* the lines of n, e, d */
    input_open(&in, name);
    while (input_next(&in)) {
        if (input_fields(&in, field, 2) != 2)
            fault(name, in.line, "a key line has two fields: its name and a number");
        const char *known = strlen(field[0]) == 1 ? strchr("ned", field[0][0]) : NULL;
        if (known == NULL)
            fault(name, in.line, "unknown field '%.20s': a key has n, e and d", field[0]);
        size_t which = (size_t)(known[0] == 'n' ? 0 : known[0] == 'e' ? 1 : 2);
        if (seen[which] != 0)
            fault(name, in.line, "second %s: the first is in line %zu", field[0], seen[which]);
        seen[which] = in.line;
        if (which == 0)
            key.m = input_modulus(&in, field[1]);
        else
            *(which == 1 ? &key.e : &key.d) = input_number(&in, field[0], field[1]);
    }
    for (int i = 0; i < 3; i++)
        if (seen[i] == 0)
            fault(name, in.line - 1, "the key ends without %c", "ned"[i]);
    return key;
}

/* Room for one more record of the given size in an array that holds count. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = 2 * count + 64;
    array = realloc(array, *room * size);
    if (array == NULL)
        fault(NULL, 0, "out of memory");
    return array;
}

size_t read_messages(struct messages *list, const char *name, const struct key *key)
{
    static struct input in;
    size_t before = list->count;
    char *field[2];
    input_open(&in, name);
    while (input_next(&in)) {
        list->at = grow(list->at, list->count, &list->room, sizeof *list->at);
        struct message *message = &list->at[list->count++];
        if (input_fields(&in, field, 2) != 2)
            fault(name, in.line, "a message line has two fields: a message and its ciphertext");
        message->file = name;
        message->line = in.line;
        message->plain = strchr(field[0], '"') != NULL ? input_string(&in, field[0])
                                                       : input_number(&in, "message", field[0]);
        message->cipher = input_number(&in, "ciphertext", field[1]);
        input_below(&in, "message", &message->plain, &key->m);
        input_below(&in, "ciphertext", &message->cipher, &key->m);
    }
    if (list->count == before)
        fault(name, in.line - 1, "no message in this file");
    return list->count - before;
}

static void read_vector(struct vector *v, struct input *in)
{
    char *field[6];
    if (input_fields(in, field, 6) != 6)
        fault(in->name, in->line, "a vector has six fields: operation, kind and four numbers");
    if (strcmp(field[0], "mont_mul") == 0)
        v->operation = MONT_MUL;
    else if (strcmp(field[0], "mod_exp") == 0)
        v->operation = MOD_EXP;
    else
        fault(in->name, in->line, "unknown operation '%.20s': mont_mul or mod_exp", field[0]);
    if (strlen(field[1]) > KIND_LONGEST)
        fault(in->name, in->line, "name of the kind longer than %d characters", KIND_LONGEST);
    strcpy(v->kind, field[1]);
    v->file = in->name;
    v->line = in->line;
    v->m = input_modulus(in, field[2]);
    v->x = input_number(in, "x", field[3]);
    v->y = input_number(in, v->operation == MONT_MUL ? "y" : "e", field[4]);
    v->open = strcmp(field[5], "?") == 0;
    if (!v->open)
        v->z = input_number(in, "z", field[5]);
    input_below(in, "x", &v->x, &v->m);
    if (v->operation == MONT_MUL)
        input_below(in, "y", &v->y, &v->m);
    if (!v->open)
        input_below(in, "z", &v->z, &v->m);
}

size_t read_vectors(struct vectors *list, const char *name)
{
    static struct input in;
    size_t before = list->count;
    input_open(&in, name);
    while (input_next(&in)) {
        list->at = grow(list->at, list->count, &list->room, sizeof *list->at);
        read_vector(&list->at[list->count++], &in);
    }
    if (list->count == before)
        fault(name, in.line - 1, "no vector in this file");
    return list->count - before;
}
