/* square.S for digits of 28 bits. */
#define DIGIT_BITS 28
#include "square.S"
