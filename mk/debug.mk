.PHONY: debug
DEBUGGED := $(if $(ONE_LEVEL),$(call named,$(SNAPSHOTS)))
debug: $(DEBUGGED:%=build/%/$(ONE_LEVEL)/rsa) build/platform ## V=v8 LEVEL=O1: step through it in gdb, from mont_mul on
	$(Q)$(if $(DEBUGGED),harness/setup/setup.sh debug)
	$(Q)PYTHON='$(PYTHON)' harness/driver/debug.sh \
		$(if $(DEBUGGED),build/$(DEBUGGED)/$(ONE_LEVEL)/rsa $(call width_of,$(DEBUGGED)))
