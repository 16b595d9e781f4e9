/* An interpreter of A32, the instructions of 32-bit ARM, for the live page: what rungs, labs and gcc's code of them
 * use.  "A5.2.1" is a section of the ARM Architecture Reference Manual, ARM DDI 0406C.
 *
 * The page puts code and operands into `memory`, sets registers, and calls run().  `executed` then has how often each
 * word of memory was executed.  harness/plugin/a32.c, which is compiled beside this file, sorts the words into classes.
 * An instruction that is not known here stops the run: nothing is skipped. */

#include <stdbool.h>
#include <stdint.h>

#include "../../harness/plugin/a32.h"

enum { SIZE = 1 << 20 };         /* bytes of memory */
enum { RETURN_TO = 0xffff0000 }; /* lr at the start: a jump there ends the run */
enum { SP = 13, LR = 14, PC = 15 };
enum ending { RETURNED, LIMIT, WILD_LOAD, WILD_STORE, WILD_JUMP, THUMB, UNDEFINED, UNALIGNED };
enum { LOADED = 1, STORED = 2, EXECUTED = 4 }; /* what may happen to a word of memory */

uint8_t memory[SIZE];
uint8_t allowed[SIZE / 4]; /* LOADED, STORED and EXECUTED of each word */
uint32_t executed[SIZE / 4];
static uint32_t r[16];
static uint64_t d[32];      /* q0 is d0 and d1; s0 and s1 are the halves of d0 */
static uint32_t n, z, c, v; /* the flags, 0 or 1 */
static uint32_t fault; /* the address of a wild or unaligned access or an undefined instruction */
static enum ending ending;
static bool running;
static bool jumped;       /* has this instruction written pc? */
static uint32_t jumps;    /* to another address than the next one, modulo 2^32 */
static uint32_t previous; /* the address of the last instruction that was executed */

static void stop(enum ending why, uint32_t address)
{
    if (running) {
        ending = why;
        fault = address;
        running = false;
    }
}

static uint32_t bits(uint32_t word, int high, int low)
{
    return word >> low & (0xffffffffu >> (31 - high + low));
}
static uint32_t bit(uint32_t word, int at)
{
    return word >> at & 1;
}

/* ---- memory, little-endian; an access outside ends the run and reads 0 ---- */

static bool may(uint32_t address, uint32_t size, uint8_t what)
{
    uint32_t last = address + size - 1;
    return address <= SIZE - size && (allowed[address / 4] & allowed[last / 4] & what);
}

static bool unaligned(uint32_t address)
{ /* A3.2.1: an access to several words needs an address of a word */
    bool odd = address & 3;
    if (odd)
        stop(UNALIGNED, address);
    return odd;
}

static uint32_t load(uint32_t address, uint32_t size)
{
    uint32_t value = 0;
    if (!may(address, size, LOADED)) {
        stop(WILD_LOAD, address);
        return 0;
    }
    for (uint32_t i = 0; i < size; i++)
        value |= (uint32_t)memory[address + i] << 8 * i;
    return value;
}

static void store(uint32_t address, uint32_t size, uint32_t value)
{
    if (!may(address, size, STORED)) {
        stop(WILD_STORE, address);
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        memory[address + i] = (uint8_t)(value >> 8 * i);
}

static uint32_t instruction(uint32_t address)
{
    const uint8_t *byte = memory + address;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static uint64_t load_double(uint32_t address)
{
    return load(address, 4) | (uint64_t)load(address + 4, 4) << 32;
}

static void store_double(uint32_t address, uint64_t value)
{
    store(address, 4, (uint32_t)value);
    store(address + 4, 4, (uint32_t)(value >> 32));
}

/* ---- conditions (A8.3), shifts (A8.4), additions (A2.2.1) ---- */

static bool holds(uint32_t condition)
{
    bool result = true;
    /* clang-format off */
    switch (condition >> 1) {
    case 0: result = z; break;                            /* eq */
    case 1: result = c; break;                            /* cs */
    case 2: result = n; break;                            /* mi */
    case 3: result = v; break;                            /* vs */
    case 4: result = c && !z; break;                      /* hi */
    case 5: result = n == v; break;                       /* ge */
    case 6: result = n == v && !z; break;                 /* gt */
    case 7: return true;                                  /* al */
    }
    /* clang-format on */
    return result != (condition & 1);
}

enum shift { LSL, LSR, ASR, ROR };

/* The value shifted by any amount; *carry becomes the last bit that leaves it. */
static uint32_t shifted(uint32_t value, enum shift how, uint32_t amount, uint32_t *carry)
{
    if (amount == 0)
        return value;
    if (how == ROR) {
        amount &= 31;
        uint32_t turned = amount ? value >> amount | value << (32 - amount) : value;
        *carry = turned >> 31;
        return turned;
    }
    uint64_t wide = value;
    uint32_t steps = amount > 33 ? 33 : amount; /* more than 32 are like 33: nothing is left */
    if (how == LSL) {
        wide <<= steps;
        *carry = (uint32_t)(wide >> 32) & 1;
        return (uint32_t)wide;
    }
    if (how == ASR && value >> 31)
        wide |= 0xffffffff00000000u;
    wide = (uint64_t)((int64_t)(wide << 1) >> steps); /* one place more, for the carry */
    *carry = (uint32_t)wide & 1;
    return (uint32_t)(wide >> 1);
}

/* An immediate amount: 0 stands for 32, and of ror for rrx. */
static uint32_t shifted_by_immediate(uint32_t op, uint32_t *carry)
{
    uint32_t value = r[bits(op, 3, 0)];
    enum shift how = (enum shift)bits(op, 6, 5);
    uint32_t amount = bits(op, 11, 7);
    if (how == ROR && amount == 0) { /* rrx */
        uint32_t result = *carry << 31 | value >> 1;
        *carry = value & 1;
        return result;
    }
    if (how != LSL && amount == 0)
        amount = 32;
    return shifted(value, how, amount, carry);
}

static uint32_t operand(uint32_t op, uint32_t *carry)
{
    if (bit(op, 25)) { /* A5.2.4: eight bits, rotated */
        uint32_t turn = 2 * bits(op, 11, 8);
        return shifted(bits(op, 7, 0), ROR, turn, carry);
    }
    if (!bit(op, 4))
        return shifted_by_immediate(op, carry);
    uint32_t value = r[bits(op, 3, 0)]; /* A5.2.2: by a register */
    return shifted(value, (enum shift)bits(op, 6, 5), r[bits(op, 11, 8)] & 255, carry);
}

/* x + y + carry, with the flags c and v of the sum. */
static uint32_t sum(uint32_t x, uint32_t y, uint32_t carry, uint32_t *c_out, uint32_t *v_out)
{
    uint64_t wide = (uint64_t)x + y + carry;
    uint32_t result = (uint32_t)wide;
    *c_out = (uint32_t)(wide >> 32);
    *v_out = ((x ^ result) & (y ^ result)) >> 31;
    return result;
}

static void jump(uint32_t target)
{
    r[PC] = target & ~1u;
    jumped = true;
    if (target & 1)
        stop(THUMB, target);
}

static void set(uint32_t index, uint32_t value)
{
    if (index == PC)
        jump(value);
    else
        r[index] = value;
}

static void set_nz(uint32_t result)
{
    n = result >> 31;
    z = result == 0;
}

/* ---- data processing (A5.2.1 to A5.2.3) ---- */

static void data_processing(uint32_t op)
{
    uint32_t carry = c, overflow = v, result = 0;
    uint32_t y = operand(op, &carry);
    uint32_t x = r[bits(op, 19, 16)];
    uint32_t opcode = bits(op, 24, 21);
    bool keeps = true; /* false: tst, teq, cmp, cmn */
    /* clang-format off */
    switch (opcode) {
    case 0: result = x & y; break;                                             /* and */
    case 1: result = x ^ y; break;                                             /* eor */
    case 2: result = sum(x, ~y, 1, &carry, &overflow); break;                  /* sub */
    case 3: result = sum(~x, y, 1, &carry, &overflow); break;                  /* rsb */
    case 4: result = sum(x, y, 0, &carry, &overflow); break;                   /* add */
    case 5: result = sum(x, y, c, &carry, &overflow); break;                   /* adc */
    case 6: result = sum(x, ~y, c, &carry, &overflow); break;                  /* sbc */
    case 7: result = sum(~x, y, c, &carry, &overflow); break;                  /* rsc */
    case 8: result = x & y; keeps = false; break;                              /* tst */
    case 9: result = x ^ y; keeps = false; break;                              /* teq */
    case 10: result = sum(x, ~y, 1, &carry, &overflow); keeps = false; break;  /* cmp */
    case 11: result = sum(x, y, 0, &carry, &overflow); keeps = false; break;   /* cmn */
    case 12: result = x | y; break;                                            /* orr */
    case 13: result = y; break;                                                /* mov */
    case 14: result = x & ~y; break;                                           /* bic */
    case 15: result = ~y; break;                                               /* mvn */
    }
    /* clang-format on */
    if (bit(op, 20)) {
        set_nz(result);
        c = carry;
        v = overflow;
    }
    if (keeps)
        set(bits(op, 15, 12), result);
}

/* ---- multiplication (A5.2.5) ---- */

static void multiply(uint32_t op)
{
    uint32_t high = bits(op, 19, 16), low = bits(op, 15, 12);
    uint32_t x = r[bits(op, 3, 0)], y = r[bits(op, 11, 8)];
    uint64_t product = (uint64_t)x * y;
    uint64_t pair = (uint64_t)r[high] << 32 | r[low];
    /* clang-format off */
    switch (bits(op, 23, 21)) {
    case 0: product = (uint32_t)product; break;                                          /* mul */
    case 1: product = (uint32_t)product + r[low]; break;                                 /* mla */
    case 2: product += (uint64_t)r[high] + r[low]; break;                                /* umaal */
    case 3: product = r[low] - (uint32_t)product; break;                                 /* mls */
    case 4: break;                                                                       /* umull */
    case 5: product += pair; break;                                                      /* umlal */
    case 6: product = (uint64_t)((int64_t)(int32_t)x * (int32_t)y); break;               /* smull */
    case 7: product = (uint64_t)((int64_t)(int32_t)x * (int32_t)y) + pair; break;        /* smlal */
    }
    /* clang-format on */
    bool wide = bit(op, 23) || bits(op, 23, 21) == 2;
    if (wide) {
        r[low] = (uint32_t)product;
        r[high] = (uint32_t)(product >> 32);
        if (bit(op, 20)) {
            n = (uint32_t)(product >> 63);
            z = product == 0;
        }
    } else {
        r[high] = (uint32_t)product; /* of mul, mla and mls the destination is in bits 19 to 16 */
        if (bit(op, 20))
            set_nz(r[high]);
    }
}

/* ---- loads and stores: the address before and after (A8.5), then what is moved ---- */

static uint32_t address_of(uint32_t op, uint32_t offset)
{
    uint32_t base = bits(op, 19, 16);
    uint32_t moved = r[base] + (bit(op, 23) ? offset : 0 - offset);
    uint32_t address = bit(op, 24) ? moved : r[base];
    bool back = !bit(op, 24) || bit(op, 21); /* after the access, or with ! */
    if (back)
        r[base] = moved;
    return address;
}

static void load_store(uint32_t op)
{ /* A5.3: words and bytes */
    uint32_t unused = c;
    uint32_t offset = bit(op, 25) ? shifted_by_immediate(op, &unused) : bits(op, 11, 0);
    uint32_t index = bits(op, 15, 12), size = bit(op, 22) ? 1 : 4;
    uint32_t stored = r[index]; /* before the base moves */
    uint32_t address = address_of(op, offset);
    if (bit(op, 20))
        set(index, load(address, size));
    else
        store(address, size, stored);
}

static void load_store_extra(uint32_t op)
{ /* A5.2.8: halfwords, signed bytes, pairs */
    uint32_t offset = bit(op, 22) ? bits(op, 11, 8) << 4 | bits(op, 3, 0) : r[bits(op, 3, 0)];
    uint32_t index = bits(op, 15, 12), kind = bits(op, 6, 5);
    uint32_t stored = r[index], stored_too = r[(index + 1) & 15];
    uint32_t address = address_of(op, offset);
    if (!bit(op, 20) && kind >= 2) { /* ldrd, strd */
        if (unaligned(address))
            return;
        if (kind == 2) {
            r[index] = load(address, 4);
            set(index + 1, load(address + 4, 4));
        } else {
            store(address, 4, stored);
            store(address + 4, 4, stored_too);
        }
    } else if (!bit(op, 20))
        store(address, 2, stored);
    else if (kind == 1)
        r[index] = load(address, 2);
    else if (kind == 2)
        r[index] = (uint32_t)(int8_t)load(address, 1);
    else
        r[index] = (uint32_t)(int16_t)load(address, 2);
}

static void block(uint32_t op)
{ /* A5.5: ldm, stm, push, pop */
    uint32_t base = bits(op, 19, 16), list = bits(op, 15, 0);
    uint32_t length = 0;
    for (int i = 0; i < 16; i++)
        length += 4 * bit(list, i);
    uint32_t lowest = bit(op, 23) ? r[base] : r[base] - length;
    uint32_t address = lowest + (bit(op, 24) == bit(op, 23) ? 4 : 0);
    uint32_t after = bit(op, 23) ? r[base] + length : lowest;
    bool loads = bit(op, 20);
    if (unaligned(address))
        return;
    if (loads && bit(op, 21))
        r[base] = after;
    for (uint32_t i = 0; i < 16; i++) {
        if (!bit(list, (int)i))
            continue;
        if (loads)
            set(i, load(address, 4));
        else
            store(address, 4, r[i]);
        address += 4;
    }
    if (!loads && bit(op, 21))
        r[base] = after;
}

/* ---- miscellaneous (A5.2.12) and media (A5.4) ---- */

static uint32_t reversed(uint32_t word, uint32_t unit)
{ /* the order of units of so many bits */
    uint32_t result = 0;
    for (uint32_t at = 0; at < 32; at += unit)
        result |= bits(word, (int)(at + unit) - 1, (int)at) << (32 - unit - at);
    return result;
}

static void miscellaneous(uint32_t op)
{
    uint32_t x = r[bits(op, 3, 0)];
    /* clang-format off */
    switch (op & 0x0ff000f0) {
    case 0x01200010: jump(x); break;                      /* bx */
    case 0x01200030: r[LR] = r[PC] - 4; jump(x); break;   /* blx */
    case 0x01600010: r[bits(op, 15, 12)] = x ? (uint32_t)__builtin_clz(x) : 32; break;
    default: stop(UNDEFINED, r[PC] - 8);
    }
    /* clang-format on */
}

static void media(uint32_t op)
{
    uint32_t index = bits(op, 15, 12), x = r[bits(op, 3, 0)], low = bits(op, 11, 7), unused = 0;
    uint32_t turned = shifted(x, ROR, 8 * bits(op, 11, 10), &unused);
    uint32_t added = bits(op, 19, 16) == PC ? 0 : r[bits(op, 19, 16)];
    uint32_t width = bits(op, 20, 16); /* less 1; of bfi and bfc the highest bit */
    if ((op & 0x0fe00070) == 0x07e00050)
        r[index] = bits(x, (int)(low + width), (int)low); /* ubfx */
    else if ((op & 0x0fe00070) == 0x07a00050) {           /* sbfx */
        uint32_t up = 31 - width - low;
        r[index] = (uint32_t)((int32_t)(x << up) >> (up + low));
    } else if ((op & 0x0fe00070) == 0x07c00010) { /* bfi; with pc for a source, bfc */
        uint32_t mask = 0xffffffffu >> (31 - width + low) << low;
        uint32_t source = bits(op, 3, 0) == PC ? 0 : x << low;
        r[index] = (r[index] & ~mask) | (source & mask);
    } else if ((op & 0x0ff003f0) == 0x06e00070)
        r[index] = added + (turned & 0xff); /* uxtb */
    else if ((op & 0x0ff003f0) == 0x06f00070)
        r[index] = added + (turned & 0xffff); /* uxth */
    else if ((op & 0x0ff003f0) == 0x06a00070)
        r[index] = added + (uint32_t)(int8_t)turned; /* sxtb */
    else if ((op & 0x0ff003f0) == 0x06b00070)
        r[index] = added + (uint32_t)(int16_t)turned; /* sxth */
    else if ((op & 0x0fff0ff0) == 0x06bf0f30)
        r[index] = reversed(x, 8); /* rev */
    else if ((op & 0x0fff0ff0) == 0x06ff0fb0)
        r[index] = (uint32_t)(int16_t)(reversed(x, 8) >> 16); /* revsh */
    else if ((op & 0x0fff0ff0) == 0x06ff0f30)
        r[index] = reversed(x, 1);              /* rbit */
    else if ((op & 0x0fff0ff0) == 0x06bf0fb0) { /* rev16 */
        uint32_t turned_bytes = reversed(x, 8);
        r[index] = turned_bytes << 16 | turned_bytes >> 16;
    } else
        stop(UNDEFINED, r[PC] - 8);
}

/* ---- registers of VFP and Advanced SIMD: A2.6.2 ---- */

static uint32_t d_index(uint32_t op, int four, int one)
{
    return bit(op, one) << 4 | bits(op, four + 3, four);
}
static uint32_t s_index(uint32_t op, int four, int one)
{
    return bits(op, four + 3, four) << 1 | bit(op, one);
}
static uint32_t get_s(uint32_t index)
{
    return (uint32_t)(d[(index & 31) / 2] >> 32 * (index & 1));
}

static void set_s(uint32_t index, uint32_t value)
{
    uint32_t at = 32 * (index & 1);
    uint64_t *pair = &d[(index & 31) / 2];
    *pair = (*pair & ~(0xffffffffull << at)) | (uint64_t)value << at;
}

/* The element of so many bits at a place of the registers from d[first] on. */
static uint64_t get(const uint64_t *registers, uint32_t size, uint32_t at)
{
    uint64_t word = registers[at * size / 64] >> (at * size % 64);
    return size == 64 ? word : word & ((1ull << size) - 1);
}

static void put(uint64_t *registers, uint32_t size, uint32_t at, uint64_t value)
{
    uint64_t mask = size == 64 ? ~0ull : (1ull << size) - 1;
    uint32_t low = at * size % 64;
    uint64_t *word = &registers[at * size / 64];
    *word = (*word & ~(mask << low)) | (value & mask) << low;
}

static int64_t with_sign(uint64_t value, uint32_t size)
{
    return (int64_t)(value << (64 - size)) >> (64 - size);
}
static uint64_t extended(uint64_t value, uint32_t size, bool is_unsigned)
{
    return is_unsigned ? value : (uint64_t)with_sign(value, size);
}

/* ---- loads and stores of these registers: A7.6, A7.7 ---- */

static void move_double(bool loads, uint32_t index, uint32_t address)
{
    if (loads)
        d[index & 31] = load_double(address);
    else
        store_double(address, d[index & 31]);
}

static void move_single(bool loads, uint32_t index, uint32_t address)
{
    if (loads)
        set_s(index, load(address, 4));
    else
        store(address, 4, get_s(index));
}

static void vfp_load_store(uint32_t op)
{
    uint32_t base = bits(op, 19, 16), length = 4 * bits(op, 7, 0);
    bool loads = bit(op, 20), doubles = bit(op, 8), up = bit(op, 23), back = bit(op, 21);
    uint32_t index = doubles ? d_index(op, 12, 22) : s_index(op, 12, 22);
    if (bit(op, 24) && !back) { /* vldr, vstr */
        uint32_t address = (base == PC ? r[PC] & ~3u : r[base]) + (up ? length : 0 - length);
        if (unaligned(address))
            return;
        if (doubles)
            move_double(loads, index, address);
        else
            move_single(loads, index, address);
        return;
    }
    uint32_t address = up ? r[base] : r[base] - length; /* vldm, vstm, vpush, vpop */
    if (unaligned(address))
        return;
    if (back)
        r[base] = up ? r[base] + length : address;
    for (uint32_t i = 0; i < length / (doubles ? 8 : 4); i++) {
        if (doubles)
            move_double(loads, index + i, address + 8 * i);
        else
            move_single(loads, index + i, address + 4 * i);
    }
}

static void structures(uint32_t op)
{ /* vld1, vst1 */
    uint32_t base = bits(op, 19, 16), moved = bits(op, 3, 0), first = d_index(op, 12, 22);
    uint32_t address = r[base], length;
    bool loads = bit(op, 21);
    if (!bit(op, 23)) { /* whole registers */
        static const uint8_t registers[16] = {[7] = 1, [10] = 2, [6] = 3, [2] = 4};
        length = 8 * registers[bits(op, 11, 8)];
        if (length == 0)
            stop(UNDEFINED, r[PC] - 8);
        for (uint32_t i = 0; i < length / 8; i++)
            move_double(loads, first + i, address + 8 * i);
    } else { /* one element, or the same in all lanes */
        bool everywhere = bits(op, 11, 10) == 3;
        uint32_t size = everywhere ? bits(op, 7, 6) : bits(op, 11, 10);
        uint32_t lane = bits(op, 7, 5) >> size;
        length = 1u << size;
        if (bits(op, 9, 8))
            stop(UNDEFINED, r[PC] - 8);
        uint64_t value = loads ? load(address, length) : 0;
        if (!loads)
            store(address, length, (uint32_t)get(&d[first], 8 * length, lane));
        else if (!everywhere)
            put(&d[first], 8 * length, lane, value);
        else
            for (uint32_t i = 0; i < (bit(op, 5) ? 16 : 8) / length; i++)
                put(&d[first], 8 * length, i, value);
    }
    if (moved == SP)
        r[base] += length;
    else if (moved != PC)
        r[base] += r[moved];
}

/* ---- between core registers and these: A7.8, A7.9 ---- */

static void transfer_pair(uint32_t op)
{
    uint32_t low = bits(op, 15, 12), high = bits(op, 19, 16);
    uint32_t index = bit(op, 8) ? 2 * d_index(op, 0, 5) : s_index(op, 0, 5);
    if (bit(op, 8) && index > 31) { /* d16 to d31 have no halves with names */
        uint64_t *whole = &d[index / 2];
        if (bit(op, 20))
            r[low] = (uint32_t)*whole, r[high] = (uint32_t)(*whole >> 32);
        else
            *whole = (uint64_t)r[high] << 32 | r[low];
    } else if (bit(op, 20)) {
        r[low] = get_s(index);
        r[high] = get_s(index + 1);
    } else {
        set_s(index, r[low]);
        set_s(index + 1, r[high]);
    }
}

static void transfer(uint32_t op)
{
    uint32_t core = bits(op, 15, 12), scalar = d_index(op, 16, 7);
    if (!bit(op, 8)) { /* s */
        if (bits(op, 23, 21))
            stop(UNDEFINED, r[PC] - 8);
        else if (bit(op, 20))
            r[core] = get_s(s_index(op, 16, 7));
        else
            set_s(s_index(op, 16, 7), r[core]);
    } else if (bit(op, 23) && !bit(op, 20) && !bit(op, 6)) { /* vdup */
        uint32_t size = bit(op, 22) ? 8 : bit(op, 5) ? 16 : 32;
        for (uint32_t i = 0; i < (bit(op, 21) ? 128 : 64) / size; i++)
            put(&d[scalar], size, i, r[core]);
    } else if (!bit(op, 22) && !bits(op, 6, 5) && !bit(op, 23)) { /* d[0], d[1] */
        if (bit(op, 20))
            r[core] = (uint32_t)get(&d[scalar], 32, bit(op, 21));
        else
            put(&d[scalar], 32, bit(op, 21), r[core]);
    } else
        stop(UNDEFINED, r[PC] - 8);
}

/* ---- Advanced SIMD: A7.4.  Operands are read before results are written: registers may be the same. ---- */

static uint64_t shifted_lane(uint64_t value, uint32_t size, int8_t amount, bool is_unsigned)
{
    if (amount >= (int)size)
        return 0;
    if (amount >= 0)
        return value << amount;
    uint32_t right = (uint32_t)-amount;
    if (is_unsigned)
        return right >= size ? 0 : value >> right;
    return (uint64_t)(with_sign(value, size) >> (right >= size ? size - 1 : right));
}

static void three_same(uint32_t op)
{ /* A7.4.1 */
    uint32_t size = 8u << bits(op, 21, 20), kind = bits(op, 11, 8) << 1 | bit(op, 4);
    uint64_t *to = &d[d_index(op, 12, 22)], *x = &d[d_index(op, 16, 7)], *y = &d[d_index(op, 0, 5)];
    bool other = bit(op, 24); /* u */
    uint32_t logic = kind == 3 ? 4 * bit(op, 24) + bits(op, 21, 20) : 0;
    if (kind == 3)
        size = 64;
    for (uint32_t i = 0; i < (bit(op, 6) ? 128 : 64) / size; i++) {
        uint64_t a = get(x, size, i), b = get(y, size, i), was = get(to, size, i), result = 0;
        if (kind == 16)
            result = other ? a - b : a + b; /* vadd, vsub */
        else if (kind == 8)
            result = shifted_lane(b, size, (int8_t)a, other); /* vshl */
        else if (kind == 18)
            result = other ? was - a * b : was + a * b; /* vmla, vmls */
        else if (kind == 19 && !other)
            result = a * b; /* vmul */
        else if (kind == 3) {
            const uint64_t results[8] = {a & b,
                                         a & ~b,
                                         a | b,
                                         a | ~b, /* vand vbic vorr vorn */
                                         a ^ b,
                                         (was & a) | (~was & b), /* veor vbsl */
                                         (a & b) | (was & ~b),
                                         (was & b) | (a & ~b)}; /* vbit vbif */
            result = results[logic];
        } else
            stop(UNDEFINED, r[PC] - 8);
        put(to, size, i, result);
    }
}

/* The element of d0 to d15 that multiplies all others: A7.4.3. */
static uint64_t scalar_of(uint32_t op, uint32_t size)
{
    if (size == 16)
        return get(&d[bits(op, 2, 0)], 16, bit(op, 5) << 1 | bit(op, 3));
    return get(&d[bits(op, 3, 0)], 32, bit(op, 5));
}

static void same_by_scalar(uint32_t op)
{ /* vmul, vmla, vmls: results of the same size */
    uint32_t size = 8u << bits(op, 21, 20), kind = bits(op, 11, 8);
    uint64_t *to = &d[d_index(op, 12, 22)], *x = &d[d_index(op, 16, 7)], y = scalar_of(op, size);
    for (uint32_t i = 0; i < (bit(op, 24) ? 128 : 64) / size; i++) {
        uint64_t product = get(x, size, i) * y, was = get(to, size, i);
        put(to, size, i, kind == 8 ? product : kind == 0 ? was + product : was - product);
    }
}

static void three_lengths(uint32_t op)
{ /* A7.4.2, A7.4.3: results of twice the size */
    uint32_t size = 8u << bits(op, 21, 20), kind = bits(op, 11, 8);
    bool is_unsigned = bit(op, 24), by_scalar = bit(op, 6),
         wide = !by_scalar && (kind == 1 || kind == 3);
    uint64_t *to = &d[d_index(op, 12, 22)], y = d[d_index(op, 0, 5)];
    uint32_t from = d_index(op, 16, 7);
    uint64_t x[2] = {d[from], d[(from + 1) & 31]};
    uint64_t scalar = by_scalar ? scalar_of(op, size) : 0;
    static const uint8_t same_as[16] = {[2] = 8, [6] = 10, [10] = 12}; /* of scalars */
    if (by_scalar)
        kind = same_as[kind];
    for (uint32_t i = 0; i < 64 / size; i++) {
        uint64_t a = wide ? get(x, 2 * size, i) : extended(get(x, size, i), size, is_unsigned);
        uint64_t b = extended(by_scalar ? scalar : get(&y, size, i), size, is_unsigned);
        uint64_t was = get(to, 2 * size, i), result = 0;
        /* clang-format off */
        switch (kind) {
        case 0: case 1: result = a + b; break;                                                   /* vaddl vaddw */
        case 2: case 3: result = a - b; break;                                                   /* vsubl vsubw */
        case 8: result = was + a * b; break;                                                     /* vmlal */
        case 10: result = was - a * b; break;                                                    /* vmlsl */
        case 12: result = a * b; break;                                                          /* vmull */
        default: stop(UNDEFINED, r[PC] - 8);
        }
        /* clang-format on */
        put(to, 2 * size, i, result);
    }
}

static void shift_immediate(uint32_t op)
{ /* A7.4.4 */
    uint32_t encoded = bit(op, 7) << 6 | bits(op, 21, 16), kind = bits(op, 11, 8);
    uint32_t size = encoded >> 6 ? 64 : encoded >> 5 ? 32 : encoded >> 4 ? 16 : 8;
    bool is_unsigned = bit(op, 24);
    uint32_t left = size == 64 ? bits(op, 21, 16) : encoded - size;
    uint32_t right = size == 64 ? 64 - bits(op, 21, 16) : 2 * size - encoded;
    uint64_t *to = &d[d_index(op, 12, 22)];
    uint32_t source = d_index(op, 0, 5);
    uint64_t x[2] = {d[source], d[(source + 1) & 31]};
    if (kind == 10 && !bit(op, 6)) { /* vshll, vmovl */
        for (uint32_t i = 0; i < 64 / size; i++)
            put(to, 2 * size, i, extended(get(x, size, i), size, is_unsigned) << left);
        return;
    }
    if (kind == 8 && !bit(op, 6) && !is_unsigned) { /* vshrn: from elements of twice the size */
        for (uint32_t i = 0; i < 64 / size; i++)
            put(to, size, i, get(x, 2 * size, i) >> right);
        return;
    }
    for (uint32_t i = 0; i < (bit(op, 6) ? 128 : 64) / size; i++) {
        uint64_t a = get(x, size, i), was = get(to, size, i);
        uint64_t down = shifted_lane(a, size, (int8_t)-(int)right, is_unsigned);
        uint64_t kept = left ? was & (~0ull >> (64 - left)) : 0;
        if (kind == 0)
            put(to, size, i, down); /* vshr */
        else if (kind == 1)
            put(to, size, i, was + down); /* vsra */
        else if (kind == 5)
            put(to, size, i, a << left | (is_unsigned ? kept : 0)); /* vshl, vsli */
        else
            stop(UNDEFINED, r[PC] - 8);
    }
}

static void modified_immediate(uint32_t op)
{ /* A7.4.6: vmov, vmvn, vorr, vbic of words; vmov of bytes, bits */
    uint32_t mode = bits(op, 11, 8),
             byte = bit(op, 24) << 7 | bits(op, 18, 16) << 4 | bits(op, 3, 0);
    bool inverts = bit(op, 5);
    uint64_t value = 0;
    if (mode < 8)
        value = (uint64_t)byte << 8 * (mode >> 1);
    else if (mode < 12)
        value = ((uint64_t)byte << 8 * (mode >> 1 & 1)) * 0x10001;
    else if (mode < 14)
        value = mode == 12 ? (uint64_t)byte << 8 | 0xff : (uint64_t)byte << 16 | 0xffff;
    else if (mode == 14 && inverts)
        for (int i = 0; i < 8; i++)
            value |= bit(byte, i) ? 0xffull << 8 * i : 0;
    else if (mode == 14)
        value = byte * 0x01010101u;
    else
        stop(UNDEFINED, r[PC] - 8);
    if (!(mode == 14 && inverts))
        value |= value << 32;
    for (uint32_t i = 0; i < (bit(op, 6) ? 2 : 1); i++) {
        uint64_t *to = &d[(d_index(op, 12, 22) + i) & 31];
        bool combines = mode < 12 && mode & 1; /* vorr, vbic */
        if (combines)
            *to = inverts ? *to & ~value : *to | value;
        else
            *to = inverts && mode != 14 ? ~value : value;
    }
}

static void two_registers(uint32_t op)
{ /* A7.4.5, vext and vdup */
    uint32_t to = d_index(op, 12, 22), from = d_index(op, 0, 5), many = bit(op, 6) ? 2 : 1;
    uint32_t size = 8u << bits(op, 19, 18), kind = bits(op, 17, 16) << 4 | bits(op, 10, 7);
    uint64_t x[2] = {d[from], d[(from + 1) & 31]};
    if (!bit(op, 24)) { /* vext: bytes of two registers, one behind the other */
        uint32_t first = d_index(op, 16, 7), at = bits(op, 11, 8);
        uint64_t both[4] = {d[first], many == 2 ? d[(first + 1) & 31] : x[0], x[0], x[1]};
        for (uint32_t i = 0; i < 8 * many; i++)
            put(&d[to], 8, i, get(both, 8, at + i));
    } else if (bits(op, 11, 8) == 12) { /* vdup from a lane, whose size the lowest 1 bit says */
        uint32_t which = bits(op, 19, 16);
        uint32_t log = which & 1 ? 0 : which & 2 ? 1 : 2;
        uint64_t value = get(x, 8u << log, which >> (log + 1));
        for (uint32_t i = 0; i < 64 * many / (8u << log); i++)
            put(&d[to], 8u << log, i, value);
    } else if (kind == 32) { /* vswp */
        for (uint32_t i = 0; i < many; i++) {
            d[(from + i) & 31] = d[(to + i) & 31];
            d[(to + i) & 31] = x[i];
        }
    } else if (kind == 36 && !bit(op, 6)) { /* vmovn */
        for (uint32_t i = 0; i < 64 / size; i++)
            put(&d[to], size, i, get(x, 2 * size, i));
    } else if (kind == 23) { /* vneg */
        for (uint32_t i = 0; i < 64 * many / size; i++)
            put(&d[to], size, i, 0 - get(x, size, i));
    } else if (kind == 11) { /* vmvn */
        for (uint32_t i = 0; i < many; i++)
            d[(to + i) & 31] = ~x[i];
    } else
        stop(UNDEFINED, r[PC] - 8);
}

static void simd(uint32_t op)
{
    if (!bit(op, 23))
        three_same(op);
    else if (bit(op, 4) && !bit(op, 7) && !bits(op, 21, 19))
        modified_immediate(op);
    else if (bit(op, 4))
        shift_immediate(op);
    else if (bits(op, 21, 20) == 3)
        two_registers(op);
    else if (bit(op, 6) && (bits(op, 11, 8) & 3) == 0)
        same_by_scalar(op);
    else
        three_lengths(op);
}

/* ---- one instruction (A5.1), and many ---- */

static void unconditional(uint32_t op)
{
    bool hint =
        (op & 0xfd70f000) == 0xf550f000 || (op & 0xffffff00) == 0xf57ff000; /* pld, barriers */
    if (bits(op, 27, 25) == 1)
        simd(op);
    else if ((op & 0x0f100000) == 0x04000000 && bits(op, 27, 24) == 4)
        structures(op);
    else if (!hint)
        stop(UNDEFINED, r[PC] - 8);
}

static void coprocessor(uint32_t op)
{
    if (bits(op, 11, 9) != 5)
        stop(UNDEFINED, r[PC] - 8);
    else if ((op & 0x0fe00fd0) == 0x0c400b10 || (op & 0x0fe00fd0) == 0x0c400a10)
        transfer_pair(op);
    else if (bits(op, 27, 25) == 6)
        vfp_load_store(op);
    else if ((op & 0x0fbf0fd0) == 0x0eb00b40)
        d[d_index(op, 12, 22)] = d[d_index(op, 0, 5)]; /* vmov.f64 */
    else if ((op & 0x0fbf0fd0) == 0x0eb00a40)
        set_s(s_index(op, 12, 22), get_s(s_index(op, 0, 5)));
    else if (bits(op, 27, 24) == 14 && bit(op, 4))
        transfer(op);
    else
        stop(UNDEFINED, r[PC] - 8);
}

static void branch(uint32_t op)
{
    uint32_t offset = (uint32_t)((int32_t)(op << 8) >> 6);
    if (bit(op, 24))
        r[LR] = r[PC] - 4;
    jump(r[PC] + offset);
}

static void conditional(uint32_t op)
{
    uint32_t low = bits(op, 7, 4);
    bool compares = bits(op, 24, 23) == 2 && !bit(op, 20); /* without s: others */
    /* clang-format off */
    switch (bits(op, 27, 25)) {
    case 0:
        if (low == 9 && !bit(op, 24)) multiply(op);
        else if ((low & 9) == 9 && low != 9) load_store_extra(op);
        else if (compares) miscellaneous(op);
        else if (low == 9) stop(UNDEFINED, r[PC] - 8);                                           /* ldrex, swp */
        else data_processing(op);
        break;
    case 1:
        if ((op & 0x0ff00000) == 0x03000000) r[bits(op, 15, 12)] = bits(op, 19, 16) << 12 | bits(op, 11, 0); /* movw */
        else if ((op & 0x0ff00000) == 0x03400000)                                                            /* movt */
            r[bits(op, 15, 12)] = (r[bits(op, 15, 12)] & 0xffff) | bits(op, 19, 16) << 28 | bits(op, 11, 0) << 16;
        else if (compares && (op & 0x0fffff00) != 0x0320f000) stop(UNDEFINED, r[PC] - 8);
        else if (!compares) data_processing(op);                                                 /* else a hint: nop */
        break;
    case 2: load_store(op); break;
    case 3: if (bit(op, 4)) media(op); else load_store(op); break;
    case 4: block(op); break;
    case 5: branch(op); break;
    default: coprocessor(op);
    }
    /* clang-format on */
}

#define EXPORTED __attribute__((visibility("default"), used))

/* Executes at most so many instructions, from r[15] on.  In an instruction r[15] is its address + 8. */
EXPORTED enum ending run(uint32_t limit)
{
    running = true;
    ending = LIMIT;
    while (running) {
        uint32_t address = r[PC];
        if (address == RETURN_TO)
            stop(RETURNED, address);
        else if (limit-- == 0)
            stop(LIMIT, address);
        else if ((address & 3) == 0 && may(address, 4, EXECUTED)) {
            uint32_t op = instruction(address);
            r[PC] = address + 8;
            jumped = false;
            if (op >> 28 == 15)
                unconditional(op);
            else if (holds(op >> 28))
                conditional(op);
            if (running) {
                previous = address;
                executed[address / 4]++;
                jumps += jumped && r[PC] != address + 4;
            }
            if (!running)
                r[PC] = address;
            else if (!jumped)
                r[PC] = address + 4;
        } else
            stop(WILD_JUMP, address);
    }
    return ending;
}

/* ---- what the page and the tests reach ---- */

EXPORTED uint8_t *memory_bytes(void)
{
    return memory;
}
EXPORTED uint8_t *allowed_words(void)
{
    return allowed;
}
EXPORTED uint32_t *core_registers(void)
{
    return r;
}
EXPORTED uint64_t *double_registers(void)
{
    return d;
}
EXPORTED uint32_t *execution_counts(void)
{
    return executed;
}
EXPORTED uint32_t fault_address(void)
{
    return fault;
}
EXPORTED uint32_t jumps_taken(void)
{
    return jumps;
}
EXPORTED uint32_t previous_address(void)
{
    return previous;
}
EXPORTED uint32_t flags(void)
{
    return n << 3 | z << 2 | c << 1 | v;
}

EXPORTED void set_flags(uint32_t nzcv)
{
    n = bit(nzcv, 3);
    z = bit(nzcv, 2);
    c = bit(nzcv, 1);
    v = bit(nzcv, 0);
}

/* Of an opcode: the name of its class, and whether it loads, stores, branches (A32_LOADS, ...). */
EXPORTED const char *class_name(uint32_t op)
{
    return a32_class_name(a32_decode(op)->class);
}
EXPORTED uint32_t does(uint32_t op)
{
    return a32_decode(op)->does;
}
