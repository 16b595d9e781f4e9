# Exact counts beside every line and instruction, in callgrind's format; no viewer of our own.

export V
ANNOTATED := $(if $(filter iterations,$(STUDY)),iterations,studies/$(STUDY))/$(V)
ANNOTATED := $(if $(filter $(LEVELS),$(LEVEL)),$(filter $(SNAPSHOTS),$(ANNOTATED)))

.PHONY: annotate
annotate: $(if $(ANNOTATED),$(call ready,$(ANNOTATED))) ## V=v6 LEVEL=O1 (STUDY=width-96): exact counts beside every line, for callgrind_annotate and KCachegrind
	$(Q)$(if $(ANNOTATED),$(COLLECT) $(ANNOTATED),true)
	$(Q)$(PYTHON) -m harness.calls.annotate --study "$$STUDY" "$$V" "$$LEVEL"
