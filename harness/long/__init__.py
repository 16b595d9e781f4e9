"""The operations of studies/width-1024: their vectors, their program, their counts."""
