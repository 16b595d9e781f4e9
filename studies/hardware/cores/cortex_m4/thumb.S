/* Thumb-2 has no "reverse subtract with carry", 0 - n - (1 - carry).  It is ~n + carry, with the same carry out, and
 * takes one instruction and one cycle more. */
        .macro  rsc d, n, zero
        mvn     \d, \n
        adc     \d, \d, \zero
        .endm
        .macro  rscs d, n, zero
        mvn     \d, \n
        adcs    \d, \d, \zero
        .endm

