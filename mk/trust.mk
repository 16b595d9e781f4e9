# What is shown about the programs without measuring them.

# The decoder and the solver have wheels for 64-bit machines only; where there is none, a line says so.
PROVERS := harness/setup/venv.sh verification/requirements.lock

.PHONY: prove
prove: venv ## proofs of the assembly, and of the numbers in C, from their machine code: under a minute
	$(Q)$(PROVERS)
	$(Q)$(VENV) -m verification.prove

.PHONY: mutants
mutants: venv ## change each operator and instruction: do the vectors see it? an hour; after a stop it continues
	$(Q)$(PROVERS)
	$(Q)$(VENV) -m verification.mutants
