/* What Unicorn calls at each basic block: how often each one is executed, and how often a jump ends it.
 *
 * A jump ends a block if the next block does not begin where this one ends. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOOK_BLOCK (1 << 3)
#define SLOTS 4096u /* a power of 2, and more than there are blocks */

struct block {
    uint32_t address, size; /* in bytes; an empty slot has size 0 */
    uint64_t executions, jumps;
};

struct blocks {
    struct block slot[SLOTS + 1]; /* the one more stays empty: no block */
    uint32_t last;                /* the slot of the block that is being executed */
    uint32_t lost;                /* blocks that found no slot */
};

int blocks_attach(void *engine, struct blocks *blocks);
void blocks_forget(struct blocks *blocks);
void blocks_returned(struct blocks *blocks);
void blocks_entered(void *engine, uint64_t address, uint32_t size, void *blocks);

/* The slot that has this block, or an empty one for it; NULL if all slots are taken. */
static struct block *find(struct blocks *all, uint32_t address, uint32_t size)
{
    uint32_t first = (address >> 1) * 2654435761u % SLOTS;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct block *b = &all->slot[(first + i) % SLOTS];
        if (b->size == 0 || (b->address == address && b->size == size))
            return b;
    }
    return NULL;
}

void blocks_entered(void *engine, uint64_t address, uint32_t size, void *blocks)
{
    struct blocks *all = blocks;
    struct block *before = &all->slot[all->last];
    struct block *here = find(all, (uint32_t)address, size);
    (void)engine;
    if (before->size != 0 && before->address + before->size != (uint32_t)address)
        before->jumps++;
    if (here == NULL) {
        all->lost++;
        return;
    }
    here->address = (uint32_t)address;
    here->size = size;
    here->executions++;
    all->last = (uint32_t)(here - all->slot);
}

void blocks_forget(struct blocks *blocks)
{
    memset(blocks, 0, sizeof *blocks);
    blocks->last = SLOTS;
}

/* A call has come back: a jump has ended its last block. */
void blocks_returned(struct blocks *blocks)
{
    blocks->slot[blocks->last].jumps++;
    blocks->last = SLOTS;
}

/* Has an engine of the Unicorn that is loaded already count its blocks.  0 if all went well. */
int blocks_attach(void *engine, struct blocks *blocks)
{
    void *unicorn = dlopen("libunicorn.so.2", RTLD_NOW | RTLD_NOLOAD);
    int (*hook_add)(void *, size_t *, int, void (*)(void), void *, uint64_t, uint64_t, ...);
    size_t handle;
    if (unicorn == NULL)
        return -1;
    *(void **)&hook_add = dlsym(unicorn, "uc_hook_add");
    return hook_add(engine, &handle, HOOK_BLOCK, (void (*)(void))blocks_entered, blocks, 1, 0);
}
