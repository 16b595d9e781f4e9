/* An instruction is executed as often as flow gets there: from the one before, unless that has
 * branched away, and from the branches to it.  Executions being known, each such equation with a
 * single branch whose ways are not known gives that branch.
 *
 * There is no equation for an entry, nor for what stands behind a call.  Code that jumps by a
 * register, or has a branch that no equation gives, is watched, and so is all that is joined to it. */
#include "flow.h"
#include "a32.h"

#define NOWHERE SIZE_MAX /* outside, or by a register */

/* Where an instruction may go: on, and to the target of its branch.  A conditional branch to the
 * next address is none. */
struct exits {
    size_t next, target;
    bool conditional, call, unclear;
};

static struct exits exits_of(const struct flow *f, size_t i)
{
    uint32_t opcode = f->places[i].opcode;
    const struct a32_rule *rule = a32_decode(opcode);
    struct exits e = {i + 1 < f->n ? i + 1 : NOWHERE, NOWHERE, false, false, false};
    if (!(rule->does & A32_BRANCHES))
        return e;
    e.conditional = opcode >> 28 < 14;
    e.call = rule->class == A32_call;
    if ((opcode & 0x0e000000) == 0x0a000000 && opcode >> 28 != 15) {
        size_t target = i + 2 + (size_t)((int32_t)(opcode << 8) >> 8);
        e.target = target < f->n ? target : NOWHERE;
    } else {
        e.unclear = rule->class != A32_return;
    }
    if (e.conditional && e.target == e.next)
        e.conditional = false, e.target = NOWHERE;
    else if (!e.conditional && !e.call)
        e.next = NOWHERE;
    return e;
}

/* Each returns whether anything is new. */
static bool mark(bool *flag)
{
    bool new = !*flag;
    *flag = true;
    return new;
}

static bool join(struct flow *f, size_t i, size_t to)
{
    if (to == NOWHERE || f->places[i].watched == f->places[to].watched)
        return false;
    f->places[i].watched = f->places[to].watched = true;
    return true;
}

static bool reach(struct flow *f)
{
    bool new = false;
    for (size_t i = 0; i < f->n; i++) {
        struct place *p = &f->places[i];
        if (!p->reached && !p->hidden)
            continue;
        struct exits e = exits_of(f, i);
        p->reached = true;
        if (e.next != NOWHERE)
            new |= mark(e.call ? &f->places[e.next].hidden : &f->places[e.next].reached);
        if (e.target != NOWHERE)
            new |= mark(&f->places[e.target].reached);
    }
    return new;
}

/* `amount' gets from one place to another. */
static void flows(struct flow *f, size_t to, uint64_t amount)
{
    if (to != NOWHERE)
        f->places[to].in += amount;
}

static void may_flow(struct flow *f, size_t to, size_t branch)
{
    if (to != NOWHERE) {
        f->places[to].ways++;
        f->places[to].way = branch;
    }
}

static void set_up(struct flow *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->places[i].in = f->places[i].ways = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct place *p = &f->places[i];
        if (!p->reached)
            continue;
        struct exits e = exits_of(f, i);
        bool branches = e.next == NOWHERE || e.target != NOWHERE || e.call;
        if (!e.conditional) {
            p->known = true;
            p->taken = branches ? p->executions : 0;
        }
        if (p->known) {
            flows(f, e.next, p->executions - p->taken);
            flows(f, e.target, p->taken);
        } else {
            may_flow(f, e.next, i);
            may_flow(f, e.target, i);
        }
    }
}

static bool peel(struct flow *f)
{
    bool new = false;
    for (size_t i = 0; i < f->n; i++) {
        const struct place *to = &f->places[i];
        if (!to->reached || to->hidden || to->ways != 1 || f->places[to->way].known)
            continue;
        struct place *branch = &f->places[to->way];
        uint64_t by_it = to->executions - to->in;
        branch->taken = i == to->way + 1 ? branch->executions - by_it : by_it;
        new = branch->known = true;
    }
    return new;
}

struct place *flow_at(const struct flow *f, uint64_t address)
{
    uint64_t i = (address - f->start) / 4;
    return i < f->n ? &f->places[i] : NULL;
}

bool flow_solve(struct flow *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->places[i].known = false;
    do
        set_up(f);
    while (peel(f));
    for (size_t i = 0; i < f->n; i++) {
        const struct place *p = &f->places[i];
        if (p->watched)
            continue;
        if (p->taken > p->executions || (!p->hidden && p->executions != p->in))
            return false;
    }
    return true;
}

void flow_look(struct flow *f)
{
    while (reach(f))
        ;
    flow_solve(f);
    for (size_t i = 0; i < f->n; i++) {
        struct place *p = &f->places[i];
        p->watched = !p->reached || !p->known || exits_of(f, i).unclear;
    }
    bool new;
    do {
        new = false;
        for (size_t i = 0; i < f->n; i++) {
            struct exits e = exits_of(f, i);
            if (f->places[i].reached)
                new |= join(f, i, e.next) | join(f, i, e.target);
        }
    } while (new);
}
