/* The three kinds of file: keys, messages and check vectors.  data/inputs/README.md has the
 * formats. Every function here ends the program with status 2 on a file that is not what it should
 * be. */
#ifndef RECORDS_H
#define RECORDS_H

#include "input.h"

#define KIND_LONGEST 31

/* An RSA key: x -> x^e mod n encrypts, x -> x^d mod n decrypts. */
struct key {
    struct modulus m;
    struct number e, d;
};

/* A message and its ciphertext, both below n; file and line say where they stand. */
struct message {
    const char *file;
    size_t line;
    struct number plain, cipher;
};

/* z = x y R^-1 mod n (mont_mul) or z = x^y mod n (mod_exp).  A vector may leave z open: then nobody
 * has worked it out before the call, and no program can find it in memory. */
enum operation { MONT_MUL, MOD_EXP };

struct vector {
    const char *file;
    size_t line;
    char kind[KIND_LONGEST + 1];
    enum operation operation;
    struct modulus m;
    struct number x, y, z;
    bool open;
};

struct messages {
    struct message *at;
    size_t count, room;
};

struct vectors {
    struct vector *at;
    size_t count, room;
};

struct key read_key(const char *name);

/* Both append the file's records to the list and return how many there were: at least one.  The
 * names are kept. */
size_t read_messages(struct messages *list, const char *name, const struct key *key);
size_t read_vectors(struct vectors *list, const char *name);

#endif
