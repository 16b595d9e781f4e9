/* Whether a machine runs the ladder's programs, which need UMAAL, and NEON where they are for ARMv7: it
 * says 18, then waits, so that /proc can be asked who really runs it. */
#include <stdio.h>

#ifdef __ARM_NEON
#include <arm_neon.h>
static unsigned six(void)
{
    uint32x4_t three = vdupq_n_u32(3);
    return vgetq_lane_u32(vaddq_u32(three, three), 0);
}
#else
static unsigned six(void)
{
    return 6;
}
#endif

int main(void)
{
    unsigned lo = 1, hi = 2;

    __asm__ volatile("umaal %0, %1, %2, %2" : "+r"(lo), "+r"(hi) : "r"(3));
    printf("%u\n", lo + six());
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
