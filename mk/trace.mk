# Which instructions a snapshot executes and which addresses it accesses, one call at a time.

build/trace.so: verification/trace.c build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) -o $(new) $< && $(whole)

# What promises constant time is compiled by clang, too, where there is one.
CLANG    := $(if $(shell command -v clang),clang --target=arm-linux-gnueabihf)
PROMISED := $(patsubst %/README.md,%,$(shell \
	grep -ls "^constant-time: *yes" iterations/*/README.md studies/*/*/README.md))
BY_CLANG := $(if $(CLANG),$(foreach s,$(PROMISED),$(foreach l,$(LEVELS),build/clang/$(s)/$(l)/check.ok)))
build/clang/%: COMPILE = $(CLANG) $(ARCH) $(MAPPED)
by_clang  = $(call snapshot_rules,$(1),$(call width_of,$(1)),$(call sources,$(1)),build/clang/$(1)/$(2),$(2))
$(foreach s,$(PROMISED),$(foreach l,$(LEVELS),$(eval $(call by_clang,$(s),$(l)))))

TRACE  = $(PYTHON) -m verification.traces --clang "$$($(if $(CLANG),clang --version | head -n 1,true))"
TRACED := $(call checked,$(SNAPSHOTS)) $(BY_CLANG) build/trace.so

##@ trust
.PHONY: traces
traces: $(TRACED) ## constant time: does what a snapshot does depend on its operands?
	$(Q)$(if $(CLANG),true,echo '  NOTE    clang is not installed: only programs of $(CC) are looked at')
	$(Q)MAKE_PID=$$PPID $(TRACE) $(SNAPSHOTS)
