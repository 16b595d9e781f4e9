/* What is checked of a line. */
#ifndef CHECKS_H
#define CHECKS_H

#include "line.h"

/* Ends the program unless the result is right in every form of the call, nothing else in memory is
 * written, and registers are preserved. */
void check_line(const struct line *l);

#endif
