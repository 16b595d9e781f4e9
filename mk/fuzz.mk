# libFuzzer and GMP against the snapshots in C, built for this machine; NEON as in mk/host.mk.

FUZZED  := $(if $(V),$(call named,$(HOST_ALL)),$(filter $(subst %,\%,$(call study_of))/%,$(HOST_ALL)))
FUZZ_CC := clang -std=c11 -g -O2 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	$(MAPPED) -Iharness -Iharness/host

build/fuzz/flags: FORCE
	$(Q)harness/setup/setup.sh fuzz
	$(Q)mkdir -p $(@D)
	$(Q){ clang --version | head -n 1; echo '$(FUZZ_CC)'; } >$(new)
	$(Q)$(settle)

# $(1) folder, $(2) width.
define fuzz_rules
build/fuzz/$(1)/fuzz: verification/fuzz.c $(wildcard $(1)/*.[ch]) harness/snapshot.h build/fuzz/flags
	@mkdir -p $$(@D)
	$(Q)$$(FUZZ_CC) -DWIDTH=$(2) $(wildcard $(1)/*.c) $$< -lgmp -o $$(new) && $$(whole)
.PHONY: fuzz/$(1)
fuzz/$(1): build/fuzz/$(1)/fuzz
	$(Q)verification/fuzz.sh $$< $(2) "$$$$RUNS"
endef
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
$(foreach s,$(FUZZED),$(eval $(call fuzz_rules,$(s),$(call width_of,$(s)))))
endif

##@ look for faults
.PHONY: fuzz
fuzz: $(FUZZED:%=fuzz/%) ## inputs that look for faults in the rungs in C (RUNS=1000000 V=v7; STUDY=width-64)
	$(Q)test -n '$(FUZZED)' || { echo "make: fuzz: no snapshot in C, V=$$V STUDY=$$STUDY" >&2; exit 2; }
