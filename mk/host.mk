# Built for this machine itself, to be timed.

# NEON is SIMDe's where it is installed; assembly for ARM stays away.  Results: results/local/host.
SIMDE    := $(wildcard /usr/include/simde/arm/neon.h)
NOT_HERE := $(dir $(wildcard iterations/*/*.S studies/*/*/*.S) \
	$(shell grep -ls $(if $(SIMDE),,-e arm_neon.h) -e __asm__ iterations/*/*.[ch] studies/*/*/*.[ch]))
HOST_ALL := $(filter-out $(NOT_HERE:%/=%),$(SNAPSHOTS))
HOST_CC  := $(HOSTCC) -std=c11 -g $(MAPPED) $(WARN) -Iharness -Iharness/host

build/host/flags: FORCE | setup
	$(Q)mkdir -p $(@D)
	$(Q){ $(HOSTCC) --version | head -n 1; echo '$(HOST_CC) -static'; \
		dpkg-query -W libsimde-dev 2>/dev/null || true; } >$(new)
	$(Q)$(settle)
build/host/platform: build/host/flags
	$(Q)printf "platform=host-gcc%s\nrunner=''\n" "$$($(HOSTCC) -dumpversion | cut -d. -f1)" >$(new) && $(whole)

# $(1) width: the harness, always -O2.
define host_harness_rules
build/host/harness/$(1)/%.o: $(call stamps,$(DRIVER)) build/host/flags | harness/driver/%.c
	@mkdir -p $$(@D)
	$(Q)$$(HOST_CC) -O2 -DWIDTH=$(1) -c $$| -o $$(new) && $$(whole)
endef

# $(1) folder, $(2) width, $(3) stamps of its files, $(4) folder of the objects, $(5) level.
define host_rules
$(4)/%.o: $(3) $(call stamps,harness/host/arm_neon.h) build/host/flags | $(1)/%.c
	@mkdir -p $$(@D)
	@echo '  HOSTCC  $$@'
	$(Q)$$(HOST_CC) -$(5) -DWIDTH=$(2) -c $$| -o $$(new) && $$(whole)
$(4)/rsa: $(call objects,$(1),$(4)) $(call driver,$(2),build/host)
	$(Q)$$(HOST_CC) -static $$^ -o $$(new) && $$(whole)
$(4)/check.ok: $(4)/rsa build/host/platform $(call stamps,$(CHECKING) $(call vectors,$(2)))
	$(Q)PLATFORM=build/host/platform $(PYTHON) -m harness.check $$< $(2) $(call vectors,$(2))
endef
hosted = $(call host_rules,$(1),$(call width_of,$(1)),$(call sources,$(1)),build/host/$(1)/$(2),$(2))
ifneq ($(filter host duel build/host/%,$(MAKECMDGOALS)),)
$(foreach w,$(WIDTHS),$(eval $(call host_harness_rules,$(w))))
$(foreach s,$(HOST_ALL),$(foreach l,$(BUILT),$(eval $(call hosted,$(s),$(l)))))
endif

##@ time on this machine
.PHONY: duel host perf
# A duel is between ARM programs where they run directly, else between the host's.  As long as no run
# of make has found that out, both are built.
PLATFORM  := $(file <build/platform)
RING      := $(if $(PLATFORM),$(if $(findstring runner='',$(PLATFORM)),build,build/host),build build/host)
both      = $(and $(filter $(1),$(SNAPSHOTS)),$(filter $(2),$(SNAPSHOTS)),$(sort $(1) $(2)))
duellist  = $(if $(findstring /,$(1)),studies,$(call study_of))/$(1)
DUELLISTS := $(call both,$(call duellist,$(A)),$(call duellist,$(B)))
fit_for    = $(if $(filter build,$(1)),$(DUELLISTS),$(filter $(DUELLISTS),$(HOST_ALL)))
FOUGHT    := $(foreach r,$(RING),$(foreach s,$(call fit_for,$(r)),$(foreach l,$(ONE_LEVEL),$(r)/$(s)/$(l)/check.ok)))
duel: $(if $(FOUGHT),build/platform build/host/platform $(FOUGHT)) ## A=v2 B=v4 LEVEL=O1: do their times differ?
	$(Q)$(PYTHON) -m harness.clock duel "$$A" "$$B" --level "$$LEVEL" --study "$$STUDY"

# The ladder, and the studies that show what a branch costs.
BRANCHES := $(patsubst %/README.md,%,$(shell grep -ls '<!-- mispredictions -->' studies/*/*/README.md))
HOSTED   := $(ITERATIONS) $(filter $(BRANCHES),$(HOST_ALL))
HOST_OK  := $(foreach s,$(filter $(HOSTED),$(HOST_ALL)),$(foreach l,$(LEVELS),build/host/$(s)/$(l)/check.ok))
host: $(HOST_OK) ## build the C rungs with this machine's own compiler, check and time them
	$(Q)$(PYTHON) -m harness.clock host $(HOSTED)
	$(Q)$(PYTHON) -m rsalab.steps times results/local/host

perf: ## hardware counters as a table like Dirk's (M=local: of which results)
	$(Q)$(PYTHON) -m harness.perf "results/$${M:-local}"
