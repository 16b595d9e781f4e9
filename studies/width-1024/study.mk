##@ long numbers
.PHONY: width-1024 reference-width-1024 lanes lanes-cycles

# They have a contract of their own, nat.h, and a driver of their own.
LONG       := studies/width-1024
LONG_RUN   := $(PYTHON) -m studies.width-1024.long
# Where their programs are made: the kernels in assembly or in C, at two levels.
LONG_AT    := $(foreach kernels,assembly plain,$(foreach level,O1 O3,build/$(LONG)/$(kernels)/$(level)))
LONG_READY := $(LONG_AT:%=%/check.ok)

width-1024: $(LONG_READY) build/selftest build/counter ## products, powers and RSA of 64 to 2048 bits
	$(Q)$(LONG_RUN) measure
	$(Q)$(PYTHON) -m rsalab.long_numbers results/local

reference: reference-width-1024
reference-width-1024: $(LONG_READY) reference-counts
	$(Q). build/platform && $(LONG_RUN) measure --out "results/$$platform"

# $(1) where a program is made: the sources of it, and its objects.
long_sources = $(wildcard $(LONG)/*.c) $(call files_of,$(LONG)/$(notdir $(patsubst %/,%,$(dir $(1)))))
long_objects = $(patsubst %,$(1)/%.o,$(basename $(notdir $(call long_sources,$(1)))))
# The source of the target of a rule.
long_source  = $(filter %/$(basename $(@F)).c %/$(basename $(@F)).S,$(call long_sources,$(@D)))
LONG_HEADERS := $(LONG)/nat.h $(wildcard $(LONG)/assembly/*.inc)
LONG_DRIVER  := $(patsubst $(LONG)/%.c,build/$(LONG)/%.o,$(wildcard $(LONG)/driver/*.c)) build/$(LONG)/driver/abi.o
$(foreach at,$(LONG_AT),$(call long_objects,$(at))): $$(long_source) $(LONG_HEADERS) build/flags
	$(call compile,$(if $(filter %.c,$<),-$(notdir $(@D)) $(WARN)))
$(LONG_AT:%=%/snapshot.o): $$(call long_objects,$$(@D))
	$(join)
$(LONG_AT:%=%/long): $$(@D)/snapshot.o $(LONG_DRIVER)
	$(link)
$(LONG_READY): $$(@D)/long $(wildcard $(LONG)/*.py data/inputs/rsa-keys/*.txt) $(CHECKING) | build/platform
	$(Q)COMPILE="$(CC) -I$(LONG)" $(LONG_RUN) check $<
build/$(LONG)/driver/%: private sectioned = $(call to_section,harness_text,$(1))
build/$(LONG)/driver/%.o: $(LONG)/driver/%.c $(wildcard $(LONG)/driver/*.h) $(LONG)/nat.h build/flags
	$(call compile,-O2 $(WARN) -I$(LONG))
build/$(LONG)/driver/abi.o: harness/driver/abi.S build/flags
	$(call compile)

# Pairs of long numbers in two lanes, which are NEON's; Unicorn calls them.
LANES       := $(LONG)/lanes
NO_ARMV6    := $(if $(FOR_ARMV6),$(if $(filter lanes,$(MAKECMDGOALS)),$(LANES)))
LANES_STEPS := $(patsubst %,build/$(LANES)/O3/%,one-lane two-lanes blocks signed square)
PRIVATE     := $(foreach level,$(MEASURED),build/$(LANES)/$(level)/private)
PRIVATE_OF  := $(addprefix $(LANES)/,called.c digits.c exponent.c private.c choose.S forget.S square.S square-long.S) \
	$(LONG)/montgomery.c $(LONG)/karatsuba.c $(wildcard $(LONG)/assembly/*.S)
LANES_NEED  := $(wildcard $(LANES)/*.[hS] $(LANES)/*.inc $(LONG)/assembly/*.inc) $(LONG)/nat.h build/flags

lanes: venv $(LANES_STEPS) $(PRIVATE) ## both halves of RSA in two lanes: check, count, leaks
	$(Q)$(VENV) -m studies.width-1024.lanes_counts --secrets "$${SECRETS:-32}"

lanes-cycles: venv build/$(LANES)/O3/private ## cycles of one lane and two by LLVM's model
	$(Q)sh harness/setup/setup.sh lanes
	$(Q)$(VENV) -m studies.width-1024.lanes_cycles

# $(1) the function where a program begins, $(2) what it is made from.
called = $(Q)mkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -nostdlib -Wl,-e,$(1) $(2) -o $(new) && $(whole)
build/$(LANES)/O3/square: $(LANES)/square.S $(LANES)/square-long.S $(LANES_NEED) | build/trace.so
	$(call called,0,$(filter %/square.S %/square-long.S,$^))
build/$(LANES)/O3/%: $(LANES)/%.S $(LANES_NEED) | build/trace.so
	$(call called,pair_mul,$<)
build/$(LANES)/O3/%: $(LANES)/%.c $(LANES_NEED) | build/trace.so
	$(call called,pair_mul,-O3 $(WARN) $< -lgcc)
$(PRIVATE): build/$(LANES)/%/private: $(PRIVATE_OF) $(LANES_NEED) | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) -$* $(WARN) $(LDFLAGS) $(PRIVATE_OF) -o $(new) && $(whole)
