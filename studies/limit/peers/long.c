/* Our long numbers: sliding windows, and fixed ones in constant time. */
#include "peer.h"

#include <string.h>

#include "nat.h"

#include "ours.h"

static struct modulus m;
static enum method method;
static uint32_t e[MAX_LIMBS], x[COUNT][MAX_LIMBS], z[COUNT][MAX_LIMBS];

int take_key(const struct numbers *key, int constant)
{
    if (key->words > MAX_LIMBS)
        return 0;
    m.limbs = key->words;
    m.squares = 1;
    memcpy(m.n, key->n, sizeof m.n);
    memcpy(e, key->e, sizeof e);
    method = constant ? FIXED : SLIDING;
    return 1;
}

void take_base(int i, const uint32_t *from)
{
    memcpy(x[i], from, sizeof x[i]);
}

void prepare(void)
{
    make_constants(&m, m.limbs);
}

int power(int i)
{
    mod_exp(z[i], x[i], e, 32 * m.limbs, &m, method, 0);
    return 1;
}

void give_result(int i, uint32_t *to)
{
    memcpy(to, z[i], sizeof z[i]);
}
