# --- built for this machine itself, to be timed ----------------------------------------------------

# NEON is SIMDe's where it is installed; assembly for ARM stays away.  Results: results/local/host.
SIMDE     := $(wildcard /usr/include/simde/arm/neon.h)
NOT_HERE  := $(shell grep -ls $(if $(SIMDE),,-e arm_neon.h) -e __asm__ $(foreach s,$(SNAPSHOTS),$(wildcard $(s)/*.[ch])) </dev/null)
HOST_ALL  := $(filter-out $(patsubst %/,%,$(dir $(NOT_HERE) $(foreach s,$(SNAPSHOTS),$(wildcard $(s)/*.S)))),$(SNAPSHOTS))
HOST_CC    = $(HOSTCC) -std=c11 -g $(WARN) -Iharness -Iharness/time/arm_neon

build/host/flags: FORCE | setup
	$(Q)mkdir -p $(@D) && { $(HOSTCC) --version | head -n 1; echo '$(HOST_CC) -static'; dpkg-query -W libsimde-dev 2>/dev/null || true; } >$@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
build/host/platform: build/host/flags
	$(Q)printf "platform=host-gcc%s\nrunner=''\n" "$$($(HOSTCC) -dumpversion | cut -d. -f1)" >$@

# $(1) width: the harness, always -O2.
define host_harness_rules
build/host/harness/$(1)/%.o: harness/driver/%.c $(HEADERS) build/host/flags
	@mkdir -p $$(@D)
	$(Q)$(HOST_CC) -O2 -DWIDTH=$(1) -c $$< -o $$(new) && $$(whole)
endef
$(foreach w,$(sort $(foreach s,$(SNAPSHOTS),$(call width_of,$(s)))),$(eval $(call host_harness_rules,$(w))))

# $(1) folder, $(2) level, $(3) width.
define host_rules
build/host/$(1)/$(2)/%.o: $(1)/%.c $(wildcard $(1)/*.h) harness/snapshot.h harness/time/arm_neon/arm_neon.h build/host/flags
	@mkdir -p $$(@D)
	@echo '  HOSTCC  $$@'
	$(Q)$(HOST_CC) -$(2) -DWIDTH=$(3) -c $$< -o $$(new) && $$(whole)
build/host/$(1)/$(2)/rsa: $(patsubst $(1)/%.c,build/host/$(1)/$(2)/%.o,$(wildcard $(1)/*.c)) $(HARNESS:harness/driver/%.c=build/host/harness/$(3)/%.o)
	$(Q)$(HOST_CC) -static $$^ -o $$(new) && $$(whole)
build/host/$(1)/$(2)/check.ok: build/host/$(1)/$(2)/rsa build/host/platform $(wildcard data/inputs/width-$(3)/vectors/*.txt)
	$(Q)PLATFORM=build/host/platform harness/driver/check.sh $$< $$@ data/inputs/width-$(3)/vectors/*.txt
endef
$(foreach s,$(HOST_ALL),$(foreach l,$(LEVELS),$(eval $(call host_rules,$(s),$(l),$(call width_of,$(s))))))

.PHONY: host duel
host: $(foreach s,$(filter $(ITERATIONS),$(HOST_ALL)),$(foreach l,$(LEVELS),build/host/$(s)/$(l)/check.ok)) ## build the C rungs with this machine's own compiler, check and time them
	$(Q)$(PYTHON) -m harness.time.host $(ITERATIONS)
	$(Q)$(PYTHON) -m rsalab.steps.times results/local/host

# A duel is between ARM programs where they run directly, else between the host's.  As long as no run
# of make has found that out, both are built.
RUNNER    := $(shell grep -s '^runner=' build/platform)
RING       = $(if $(RUNNER),$(if $(filter runner='',$(RUNNER)),build,build/host),build build/host)
DUELLISTS  = $(filter $(addprefix $(if $(filter iterations,$(STUDY)),,studies/)$(STUDY)/,$(A) $(B)),$(SNAPSHOTS))
can_be_in  = $(if $(filter build,$(1)),$(DUELLISTS),$(filter $(DUELLISTS),$(HOST_ALL)))
duel: build/platform build/host/platform $(foreach r,$(RING),$(foreach s,$(call can_be_in,$(r)),$(foreach l,$(filter $(LEVEL),$(LEVELS)),$(r)/$(s)/$(l)/check.ok))) ## A=v2 B=v4: do their times differ? (LEVEL=O3)
	$(Q)$(PYTHON) -m harness.time.duel "$$A" "$$B" --level "$$LEVEL" --study "$$STUDY"
