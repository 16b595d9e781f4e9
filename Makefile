# Build, check and measure every snapshot.  `make` alone prints what there is.
#
#   MESSAGES=all    the full workload instead of the first 80 strings and 20 integers (width 64: 1000 integers)
#   COUNTER=unicorn count with Unicorn; plugin: with qemu-arm; else the first that works
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
Q ?= @
MESSAGES ?= default
LEVEL ?= O1
STUDY ?= iterations
export A B BOARDS CASE COUNTER DIR FROM LEVEL M MESSAGES METRIC NAME SSH STUDY

PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)
VENV   := .venv/bin/python

# --- what there is: every folder with an rsa.c is a snapshot ---------------------------------------

LEVELS     := O0 O1 O3
ITERATIONS := $(patsubst %/rsa.c,%,$(wildcard iterations/*/rsa.c))
STUDIES    := $(patsubst %/rsa.c,%,$(wildcard studies/*/*/rsa.c))
SNAPSHOTS  := $(ITERATIONS) $(STUDIES)
RUNGS      := $(notdir $(ITERATIONS))
# A snapshot's width is its own README's, else the study's.
width_of    = $(firstword $(shell sed -n 's/^width: *\([0-9]*\).*/\1/p' $(1)/README.md $(dir $(1))README.md 2>/dev/null) 128)

# --- how it is compiled ----------------------------------------------------------------------------

CC       := arm-linux-gnueabihf-gcc
OBJCOPY  := arm-linux-gnueabihf-objcopy
ARCH     := -std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror
LDFLAGS  := -static -Wl,-z,max-page-size=65536
HOSTCC   := gcc
HARNESS  := $(wildcard harness/driver/*.c)
HEADERS  := harness/snapshot.h $(wildcard harness/driver/*.h)

# Code of the snapshot and of the harness go into sections of their own, so that the counter can tell
# them apart by address.
to_section = $(OBJCOPY) $(foreach s,.text .text.unlikely .text.startup,--rename-section $(s)=$(1)) $(new)

# A file gets its name when it is whole: a make that is killed, or a second one, spoils nothing.
new   = $@.$$PPID.new
whole = mv $(new) $@

.PHONY: help setup FORCE
help: ## this list
	@sed -n 's/^\([a-z0-9][a-zA-Z0-9_-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@printf '  make v4\t(any rung) build, check and measure one rung\n' | expand -t 24

setup:
	$(Q)harness/setup/setup.sh build

# A change of compiler or flags rebuilds everything, and nothing else ever does.
build/flags: FORCE | setup
	$(Q)harness/setup/writable.sh
	$(Q){ $(CC) --version | head -n 1; echo '$(ARCH) $(WARN) $(LDFLAGS)'; } >$(new)
	$(Q)if cmp -s $(new) $@; then rm $(new); else $(whole); fi

# How an ARM program runs here: directly, or under qemu-arm.
build/platform: FORCE harness/setup/target.py build/flags | setup
	$(Q)said=$$($(PYTHON) -m harness.setup.target $(CC) $(ARCH) $(LDFLAGS)) && echo "$$said" >$(new)
	$(Q)if cmp -s $(new) $@; then rm $(new); else $(whole); fi

build/count.so: $(wildcard harness/count/plugin/*.c harness/count/plugin/*.h) build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) -o $(new) $(filter %.c,$^) && $(whole)

# The call-backs and the decoder of the other counter, for a qemu-arm that loads no plugins.
build/unicorn.so: harness/count/unicorn/hooks.c harness/count/plugin/a32.c harness/count/plugin/a32.h build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) -o $(new) $(filter %.c,$^) && $(whole)

# Where qemu-arm loads no plugin, Unicorn counts; it comes with the virtual environment.
.PHONY: counter
counter: build/count.so
	$(Q)$(PYTHON) -m harness.count.counts probe >/dev/null 2>&1 || { harness/setup/setup.sh python && harness/setup/venv.sh; } || true

# The counter proves itself on a program of known counts before every collection.
build/selftest: harness/count/plugin/selftest.S build/flags
	@echo '  AS      $@'
	$(Q)$(CC) $(ARCH) $(LDFLAGS) -nostdlib $< -o $(new) && $(whole)

# $(1) width: the harness, always -O2.
define harness_rules
build/harness/$(1)/%.o: harness/driver/%.c $(HEADERS) build/flags
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$(CC) $(ARCH) -O2 -DWIDTH=$(1) $(WARN) -Iharness -c $$< -o $$(new)
	$(Q)$$(call to_section,harness_text) && $$(whole)
endef
$(foreach w,$(sort $(foreach s,$(SNAPSHOTS),$(call width_of,$(s)))),$(eval $(call harness_rules,$(w))))

# $(1) folder, $(2) level, $(3) width: one program, its assembly, its check.
define snapshot_rules
build/$(1)/$(2)/%.o: $(1)/%.c $(wildcard $(1)/*.h) harness/snapshot.h build/flags
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$(CC) $(ARCH) -$(2) -DWIDTH=$(3) $(WARN) -Iharness -c $$< -o $$(new) && $$(whole)
build/$(1)/$(2)/%.o: $(1)/%.S build/flags
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$(CC) $(ARCH) -DWIDTH=$(3) -c $$< -o $$(new) && $$(whole)
build/$(1)/$(2)/rsa.s: $(1)/rsa.c $(wildcard $(1)/*.h) harness/snapshot.h build/flags
	@mkdir -p $$(@D)
	$(Q)$(CC) $(filter-out -g,$(ARCH)) -$(2) -DWIDTH=$(3) $(WARN) -Iharness -S $$< -o $$(new) && $$(whole)
build/$(1)/$(2)/snapshot.o: $(patsubst $(1)/%.S,build/$(1)/$(2)/%.o,$(patsubst $(1)/%.c,build/$(1)/$(2)/%.o,$(wildcard $(1)/*.c $(1)/*.S)))
	$(Q)$(CC) -nostdlib -r $$^ -o $$(new)
	$(Q)$$(call to_section,snapshot_text) && $$(whole)
build/$(1)/$(2)/rsa: build/$(1)/$(2)/snapshot.o $(HARNESS:harness/driver/%.c=build/harness/$(3)/%.o)
	@echo '  LD      $$@'
	$(Q)$(CC) $(LDFLAGS) $$^ -o $$(new) && $$(whole)
build/$(1)/$(2)/check.ok: build/$(1)/$(2)/rsa build/platform $(wildcard data/inputs/width-$(3)/vectors/*.txt) | build/$(1)/$(2)/rsa.s
	$(Q)harness/driver/check.sh $$< $$@ data/inputs/width-$(3)/vectors/*.txt
endef
$(foreach s,$(SNAPSHOTS),$(foreach l,$(LEVELS),$(eval $(call snapshot_rules,$(s),$(l),$(call width_of,$(s))))))

# $(1) folders: everything that has to be there before they may be measured.
ready = $(foreach s,$(1),$(foreach l,$(LEVELS),build/$(s)/$(l)/check.ok)) build/selftest build/unicorn.so counter

include mk/host.mk mk/gprof.mk mk/annotate.mk

# --- what one asks for -----------------------------------------------------------------------------

COLLECT = MAKE_PID=$$PPID $(PYTHON) -m harness.collect --messages "$$MESSAGES"
TABLE   = $(PYTHON) -m rsalab.steps.table results/local

.PHONY: all-iterations studies check $(RUNGS) reference report notebooks
all-iterations: $(call ready,$(ITERATIONS)) ## build, check and measure v0..v8 at -O0, -O1, -O3; end with the table
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(TABLE)

studies: $(call ready,$(SNAPSHOTS)) ## the same for everything under studies/, beside the rungs that it is compared with
	$(Q)$(COLLECT) $(SNAPSHOTS)
	$(Q)$(TABLE) $(patsubst %,--study %,$(sort $(foreach s,$(STUDIES),$(word 2,$(subst /, ,$(s))))))

check: $(filter %/check.ok,$(call ready,$(ITERATIONS))) ## build v0..v8 and check every program against the vectors

$(foreach r,$(RUNGS),$(eval $(r): $(call ready,iterations/$(r))))
$(RUNGS):
	$(Q)$(COLLECT) iterations/$@
	$(Q)$(TABLE) $@
v%:
	@echo 'no rung $@; there are: $(RUNGS)' >&2; exit 2

# FARM="iterations/v7 iterations/v8": only these; SSH="ssh -F file": another ssh command.
FARM ?= $(ITERATIONS)
SSH  ?= ssh
.PHONY: farm
farm: $(call ready,$(FARM)) ## BOARDS=hosts.txt: measure on several boards at once, over ssh
	$(Q)harness/setup/setup.sh farm
	$(Q)$(PYTHON) -m harness.farm.farm --ssh "$$SSH" --messages "$$MESSAGES" "$${BOARDS:-hosts.txt}" $(FARM)

# Only `make reference report` writes what is committed.  The reference is the default workload's,
# whatever MESSAGES says.
FOR_RECORD := $(filter reference,$(MAKECMDGOALS))
# Their HTML and PDF go to build/ and are not committed.
PAGE       := build/REPORT$(if $(FOR_RECORD),-reference)
reference: $(call ready,$(SNAPSHOTS)) $(PROFILED) ## measure for the record, into results/<platform>/
	$(Q). build/platform && MAKE_PID=$$PPID $(PYTHON) -m harness.collect --out "results/$$platform" $(ITERATIONS) $(STUDIES)
	$(Q). build/platform && $(PYTHON) -m harness.calls.gprof --out "results/$$platform" $(PROFILE)
	$(Q). build/platform && $(DRAW) "results/$$platform"
	$(Q). build/platform && $(PYTHON) -m rsalab.models.models --keep "results/$$platform" >/dev/null
report: venv $(FOR_RECORD) ## build/REPORT.md, .html and .pdf from your own results; `make reference report`: the committed one
	$(Q)$(VENV) -m rsalab.report.report $(if $(FOR_RECORD),--reference,results/local build/REPORT.md)
	$(Q)$(VENV) -m rsalab.pages report $(if $(FOR_RECORD),,build/)REPORT.md $(PAGE).html --pdf $(PAGE).pdf
	$(Q)$(if $(FOR_RECORD),$(VENV) -m rsalab.notebooks,true)
notebooks: venv ## run the notebooks on your own results, into build/notebooks/
	$(Q)$(VENV) -m rsalab.notebooks --results results/local --out build/notebooks

.PHONY: explore notebook site figures
explore: $(call ready,$(ITERATIONS)) ## any two measured snapshots side by side, with the count of every line: build/explorer.html
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(PYTHON) -m rsalab.explorer results/local build/explorer.html
notebook: | setup ## JupyterLab in notebooks/, for this machine alone; prints its address and token
	$(Q)harness/setup/setup.sh python notebook && harness/setup/venv.sh notebooks/requirements.lock
	$(Q)$(VENV) -m rsalab.pages lab
site: venv ## report, notebooks, explorer and call graphs of your own results as pages: build/site (M=qemu-gcc12)
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages site "results/$${M:-local}" build/site
figures: venv ## draw docs/figures/*.svg from their .dot
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages figures

.PHONY: doctor perf
doctor: ## look at this machine: what is ready, what is missing, what to type; changes nothing
	$(Q)$(PYTHON) -B -m harness.setup.doctor
perf: ## the hardware counters of your own results, in the second source's table
	$(Q)$(PYTHON) -m harness.time.perftable results/local

.PHONY: models compare import valid openssl-counts
models: ## cycles of an ARM1176 and a Cortex-A72 by model, with its error (M=qemu-gcc12: other results)
	$(Q)$(PYTHON) -m rsalab.models.models $(if $(M),,--keep) "results/$${M:-local}"
compare: ## M=pi4,qemu-gcc12: two results folders side by side, what differs first (METRIC=loads CASE=mont_mul)
	$(Q)$(PYTHON) -m rsalab.steps.compare "$$M" "$$METRIC" "$$CASE"
import: ## DIR=...: check a results folder from another board and take it over (NAME=pi4; FORCE=1 replaces)
	$(Q)$(PYTHON) -m harness.exchange.import_results $(if $(FORCE),--force) --name "$$NAME" "$$DIR"
valid: ## M=qemu-gcc12: check a results folder, a line for every fault
	$(Q)$(PYTHON) -m harness.exchange.provenance "results/$${M:-local}"
openssl-counts: build/count.so ## DIR=openssl-3.x: count OpenSSL's arithmetic again, for the ARM1176 model's error
	$(Q)$(PYTHON) -m harness.count.openssl_counts "$$DIR"

.PHONY: diff steps new-iteration
diff: venv $(foreach s,$(SNAPSHOTS),$(foreach l,$(filter $(LEVEL),$(LEVELS)),build/$(s)/$(l)/rsa.s)) ## B=v4: parent to child, C and assembly, side by side (LEVEL=O3, A=v0: another parent)
	$(Q)$(VENV) -m rsalab.steps.diff "$$B" --parent "$$A" --level "$$LEVEL" --study "$$STUDY"
steps: ## the size of every step in lines
	$(Q)$(PYTHON) -m rsalab.steps.sizes --study "$$STUDY"
new-iteration: ## FROM=v8 NAME=v9: a new rung to fill in
	$(Q)$(PYTHON) -m rsalab.steps.new_iteration "$$FROM" "$$NAME" --study "$$STUDY"

.PHONY: container clean venv
venv: | setup
	$(Q)harness/setup/setup.sh python && harness/setup/venv.sh

# TESTS='tests/records -k workload': only these, by the words that pytest takes.
PYTEST = set -f; $(VENV) -m pytest -n auto --maxprocesses 8
.PHONY: test test-quick test-long
test: venv ## run the tests that take minutes (TESTS=tests/records: only these)
	$(Q)harness/setup/setup.sh site tests || true
	$(Q)$(PYTEST) -m 'not long' $$TESTS
test-quick: venv ## those that need no built ladder: under a minute
	$(Q)$(PYTEST) -m 'not slow and not long' $$TESTS
test-long: venv ## all of them; a run that was stopped goes on; writes tests/last-long.txt
	$(Q)harness/setup/setup.sh site tests || true
	$(Q)$(PYTEST) --resume build/tests $$TESTS

container: ## the same in a container, for macOS and Windows
	$(Q)harness/setup/container.sh

clean: ## remove everything that make has built; results stay
	$(Q)rm -rf build
