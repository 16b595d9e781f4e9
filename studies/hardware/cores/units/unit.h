/* An instruction of a unit (units.v): custom-0, op and id say which. */
#ifndef UNIT_H
#define UNIT_H

#include <stdint.h>

#define UNIT(z, id, op, a, b)                                                                      \
    __asm__ volatile(".insn r 0x0b, %1, %2, %0, %3, %4"                                            \
                     : "=r"(z)                                                                     \
                     : "i"(op), "i"(id), "r"((uint32_t)(a)), "r"((uint32_t)(b)))
#define EACH_LIMB _Pragma("GCC unroll 8") for (int i = 0; i < LIMBS; i++)

#endif
