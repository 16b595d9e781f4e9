"""Who calls whom: gprof's texts, callgrind's format, pictures."""
