"""Which function calls which: gprof's texts, callgrind's format, pictures."""
