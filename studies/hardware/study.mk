##@ hardware
.PHONY: hw-test hw-synth cores cores-validate

hw-test: ## the units in Verilog: vectors, proofs, planted faults
hw-synth: ## what they take on an ECP5: cells, clock, time (ALL=1)
cores: ## the rungs in cycles: two RISC-V cores, a Cortex-M4
hw-test hw-synth cores:
	+$(Q)$(MAKE) -C studies/hardware $@

cores-validate: ## the Cortex-M4 model against code timed on silicon
	+$(Q)$(MAKE) -C studies/hardware/cores/cortex_m4 validate
