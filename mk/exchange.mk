# Results of other boards, and results for the record.

##@ other boards, other results
.PHONY: compare farm import valid reference
# FARM="iterations/v7 iterations/v8": only these; SSH="ssh -F file": another ssh command.
ifneq ($(filter-out $(SNAPSHOTS),$(FARM)),)
$(error FARM: no snapshot $(filter-out $(SNAPSHOTS),$(FARM)); say, for example, FARM='iterations/v7 iterations/v8')
endif
farm: $(call ready,$(FARM)) ## BOARDS=hosts.txt: measure on several boards at once, over ssh
	$(Q)harness/setup/setup.sh farm
	$(Q)$(PYTHON) -m harness.farm.farm --ssh "$$SSH" --messages "$$MESSAGES" "$${BOARDS:-hosts.txt}" $(FARM)

import: ## DIR=...: check a results folder from another board and take it over (NAME=pi4; FORCE=1 replaces)
	$(Q)$(DRAWER) -m harness.exchange.import_results $(if $(FORCE),--force) --name "$$NAME" "$$DIR"

valid: ## M=qemu-gcc12: check a results folder, a line for every fault
	$(Q)$(PYTHON) -m harness.exchange.validate "results/$${M:-local}"

compare: ## M=pi4,qemu-gcc12: two results folders side by side (METRIC=loads CASE=mont_mul)
	$(Q)$(PYTHON) -m rsalab.steps compare "$$M" "$$METRIC" "$$CASE"

# Only `make reference report` writes what is committed.  The reference is the default workload's at
# O0, O1 and O3, whatever MESSAGES and LEVELS say.
RECORDED := $(call ready,$(SNAPSHOTS)) $(PROFILED) $(TRACED) $(LONG_READY)
reference: $(RECORDED) ## measure everything for the record: results/<platform>/
	$(Q). build/platform && MAKE_PID=$$PPID $(PYTHON) -m harness.collect --messages default \
		--out "results/$$platform" $(SNAPSHOTS)
	$(Q). build/platform && $(LONG_MEASURE) --out "results/$$platform"
	$(Q). build/platform && $(PYTHON) -m harness.gprof --out "results/$$platform" $(PROFILE)
	$(Q). build/platform && $(DRAW) "results/$$platform"
	$(Q). build/platform && $(PYTHON) -m rsalab.steps models --keep "results/$$platform" >/dev/null
	$(Q). build/platform && MAKE_PID=$$PPID $(TRACE) --out "results/$$platform" $(SNAPSHOTS) >/dev/null
