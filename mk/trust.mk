##@ proofs
.PHONY: prove
# The decoder and the solver have wheels for 64-bit machines only; a line says so elsewhere.
PROVERS := harness/setup/venv.sh harness/prove/requirements.lock

prove: venv ## prove the assembly and the numbers in C from their machine code, under a minute
	$(Q)$(PROVERS)
	$(Q)$(VENV) -m harness.prove
