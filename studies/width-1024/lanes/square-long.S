/* square.S for numbers of more than 60 digits: columns in the middle carry once more. */
#define LONG
#include "square.S"
