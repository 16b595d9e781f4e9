# Build, check and measure every snapshot.  `make` alone prints what there is.
#
#   MESSAGES=all    count every message; default: the first 80 strings and 20 integers (width 64: 1000 integers);
#                   small: the first 8 and 2; without a word it is small where counting is slow, else default
#   LEVELS='O2 Os'  other levels than O0, O1, O3, into results/local
#   COUNTER=unicorn count with Unicorn; plugin: with qemu-arm; none: not at all; else the first that works
#   LIMIT=7200      seconds that one run of a program may take
#   YES=1           install missing packages without asking
#   Q=              show every command

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

include mk/variables.mk mk/snapshots.mk mk/toolchain.mk mk/counters.mk

# $(1) folders: everything that has to be there before they may be measured.
checked  = $(foreach s,$(1),$(foreach l,$(LEVELS),build/$(s)/$(l)/check.ok))
ready    = $(call checked,$(1)) build/selftest build/counter
COLLECT := MAKE_PID=$$PPID $(PYTHON) -m harness.collect --messages "$$MESSAGES"
TABLE   := $(PYTHON) -m rsalab.steps table results/local

##@ the ladder
.PHONY: all-iterations $(RUNGS) check studies
all-iterations: $(call ready,$(ITERATIONS)) ## build, check and measure every rung; end with the table
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(TABLE)

$(foreach r,$(RUNGS),$(eval $(r): $(call ready,iterations/$(r))))
# v4: ## the same for one rung, such as v4 (LEVELS='O2 Os': at other levels)
$(RUNGS):
	$(Q)$(COLLECT) iterations/$@
	$(Q)$(TABLE) $@
# What is neither a target nor, where make -B asks for a source, a file.
.DEFAULT:
	@[ -e '$@' ] || { echo 'make: no rung, target or file $@; the rungs are: $(RUNGS);' \
		'`make help` lists the targets' >&2; exit 2; }

studies: $(call ready,$(SNAPSHOTS)) ## the same for studies/: other widths, single techniques alone, dead ends
	$(Q)$(COLLECT) $(SNAPSHOTS)
	$(Q)$(TABLE) $(patsubst %,--study %,$(sort $(foreach s,$(STUDIES),$(word 2,$(subst /, ,$(s))))))

check: $(call checked,$(ITERATIONS)) ## build every rung and check it against the vectors; measure nothing

include mk/read.mk mk/test.mk mk/setup.mk mk/pages.mk mk/profile.mk mk/debug.mk mk/host.mk mk/trace.mk
include mk/long.mk mk/exchange.mk mk/board.mk mk/openssl.mk mk/fuzz.mk mk/trust.mk mk/lab.mk mk/help.mk
