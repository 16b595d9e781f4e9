/* The unit on ARM: CX3, a custom instruction of the Custom Datapath Extension (Armv8-M), with two
 * registers in and one out, as Bishop and Austin's.  No core here has it: under qemu-arm each one raises
 * SIGILL, and the handler does what the unit would do.  So this shows what is computed and that the
 * instruction assembles; it shows no cycles.
 *
 *     cx3 Z N    prints 32 rounds of MMM_1, Z 2^-32 mod N (not reduced below N), and the traps they took
 *
 * All numbers are hexadecimal.  Linked without build attributes, because the program is of another
 * profile than the instruction. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* A round: (z + (z odd ? n : 0)) / 2, with the 33rd bit. */
uint32_t mmm_1_round(uint32_t z, uint32_t n);
__asm__(".arch armv8-m.main\n"
        ".arch_extension cdecp0\n"
        ".thumb\n"
        ".text\n"
        ".balign 4\n"
        ".thumb_func\n"
        ".global mmm_1_round\n"
        "mmm_1_round:\n"
        "cx3 p0, r0, r0, r1, #0\n"
        "bx lr\n"
        ".arch armv7-a\n");

static volatile sig_atomic_t traps;

/* cx3 p0, Rd, Rn, Rm, #0 is two halfwords: 0xee80 + Rn, and 0x1000 Rm + Rd. */
static void unit(int number, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    const uint16_t *at = (const uint16_t *)m->arm_pc;
    uint32_t *r = (uint32_t *)&m->arm_r0;
    (void)number, (void)info;
    if ((at[0] & 0xfff0) != 0xee80)
        _Exit(1);
    uint64_t z = r[at[0] & 15], n = r[at[1] >> 12];
    r[at[1] & 15] = (uint32_t)((z + (z & 1 ? n : 0)) >> 1);
    m->arm_pc += 4;
    traps++;
}

/* Whether the text is a number of at most 32 bits. */
static int is_word(const char *text)
{
    size_t digits = strlen(text);
    return digits > 0 && digits <= 8 && strspn(text, "0123456789abcdef") == digits;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = unit, .sa_flags = SA_SIGINFO};
    if (argc != 3 || !is_word(argv[1]) || !is_word(argv[2]) ||
        sigaction(SIGILL, &action, NULL) != 0)
        return 2;
    uint32_t z = (uint32_t)strtoul(argv[1], NULL, 16), n = (uint32_t)strtoul(argv[2], NULL, 16);
    for (int i = 0; i < 32; i++)
        z = mmm_1_round(z, n);
    printf("%08x %d\n", z, (int)traps);
    return 0;
}
