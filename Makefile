# Build, check and measure every snapshot of the ladder and of the studies.
#
#   make             prints the targets that a newcomer needs
#   make help-all    prints all of them, by group
#
# What may be said on the command line, after a target:
#
#   LEVELS='O2 Os'  other levels than those that records/levels.csv calls measured, into results/local
#   CC=clang        another compiler: a word of records/toolchains.csv, or a command
#   CC=armv6        programs for ARMv6, that is a Pi Zero or Pi 1; what needs ARMv7 is left out.  On such a board always
#   MESSAGES=all    count every message; default: the first 80 strings and 20 integers (width 64: 1000 integers);
#                   small: the first 8 and 2; without a word it is small where counting is slow, else default
#   COUNTER=unicorn count with Unicorn; plugin: with qemu-arm; none: not at all; else the first that works
#   BUILD=FOLDER    a new folder, to which build becomes a link: where the file system of the checkout runs no programs
#   LIMIT=7200      seconds of processor time that one run of a program may take; other work of this machine takes none
#   YES=1           install missing packages without asking
#   Q=              show every command
#
# How to read this file: `target: what has to be there before ## what it does`, then the commands that do it.
# mk/takes.mk has what a user may say, mk/settings.mk what that means, mk/programs.mk how a program is compiled and
# checked, mk/needs.mk what a target needs before it starts, studies/*/study.mk the targets of a study.  $(Q) hides a
# command from the terminal.  A variable that the user says, such as B=v4, reaches the command as "$$B".

# What this file is written for: $(file <...), and functions of the shell that are no programs, are of 4.2.
LEAST_MAKE := 4.2.1
$(if $(filter 3.% 4.0 4.0.% 4.1 4.1.% 4.2,$(MAKE_VERSION)),$(error this is GNU make $(MAKE_VERSION), and $(LEAST_MAKE) \
	or later is needed: install a newer one and type it by its name, on macOS: brew install make; gmake))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL)$(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# What the studies add.
STUDY_FILES := $(sort $(wildcard studies/*/study.mk))
include mk/takes.mk mk/settings.mk mk/programs.mk $(STUDY_FILES) mk/needs.mk

##@ the ladder: build, check, measure
.PHONY: all-iterations $(RUNGS) run check studies gprof

all-iterations: $(call ready,$(ITERATIONS)) ##! build, check and measure every rung; its table
	$(Q)$(call note_left_out,iterations/%)
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(TABLE)

# v4: ##! the same for one rung (LEVELS='O2 Os': other levels)
$(RUNGS): $$(call ready,iterations/$$@ $(NEW_PARENTS))
	$(Q)$(COLLECT) iterations/$@ $(NEW_PARENTS)
	$(Q)$(TABLE) $@

run: $(RUN_READY) ##! V=v8 TEXT='Meet at ten': watch one message
	$(Q)$(PYTHON) -m harness run "--study=$$STUDY" "--text=$$TEXT" -- "$$V" "$$LEVEL"

check: $(call checked,$(ITERATIONS)) ## build every rung and check it; measure nothing

studies: $(call ready,$(SNAPSHOTS)) ## the same for studies/: other widths, single techniques
	$(Q)$(call note_left_out,%)
	$(Q)$(COLLECT) $(SNAPSHOTS)
	$(Q)$(TABLE) $(STUDY_NAMES)

gprof: $(PROFILED) build/platform ## call graphs of rungs and studies: results/local/gprof/
	$(Q)$(PYTHON) -m harness gprof $(PROFILE)

##@ understand a step
.PHONY: diff steps why predict scoreboard explore explore-picture live live-wasm annotate debug compare models
.PHONY: new-iteration

ifneq ($(and $(V),$(filter diff why predict,$(MAKECMDGOALS))),)
$(error V=$(V): a step is named by B: make $(firstword $(MAKECMDGOALS)) B=$(V))
endif

ifneq ($(B),)
diff: $(DIFFED) ##! B=v4: what a step changes, in C and assembly
	$(Q)$(PYTHON) -m rsalab.steps diff -- "$$B" "$$A" "$$STUDY" "$$LEVEL" "$$SPACE"
else
diff: steps
endif

steps: ## how many lines each step changes
	$(Q)$(PYTHON) -m rsalab.steps sizes -- "$$STUDY"

why: ##! B=v4: why a step gains, by function and class (CLAIMS=1)
	$(Q)$(PYTHON) -m rsalab.steps why -- "$$B" "$$STUDY" "$$M"

predict: ##! B=v4: say what a step will gain, then see it
	$(Q)$(PYTHON) -m rsalab.steps predict -- "$$B" "$$STUDY" "$$M" "$$FORCE"

scoreboard: ## what each step was expected to gain, and what it gained
	$(Q)$(PYTHON) -m rsalab.steps scoreboard -- "$$STUDY" "$$M"

explore: $(call ready,$(ITERATIONS)) ##! any two rungs, with the count of every line
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(PYTHON) -m rsalab.explorer.page results/local build/explorer.html

# README's picture of it, which is committed.
explore-picture: venv explore ## the explorer as pictures: docs/figures/explorer*.png
	$(Q)$(VENV) -m rsalab.explorer.picture build/explorer.html docs/figures

live: $(call checked,$(ITERATIONS)) ##! edit a rung in the browser, see it checked and counted
	$(Q)$(PYTHON) -m rsalab.live.page build/live.html $(RUNGS)

# The interpreter of that page, which is committed: only who changes interpreter.c needs clang and lld for this.
live-wasm: ## rsalab/live/interpreter.wasm from interpreter.c
	$(Q)clang --target=wasm32 -std=c11 -O2 -ffreestanding -nostdlib -fvisibility=hidden \
		-Wl,--no-entry -Wl,--export-dynamic -Wl,--strip-all \
		-o rsalab/live/interpreter.wasm rsalab/live/interpreter.c $(firstword $(DECODER))

annotate: $(ANNOTATE_READY) ## V=v6 LEVEL=O1: counts beside every line; for KCachegrind
ifneq ($(ANNOTATED),)
	$(Q)$(COLLECT) $(ANNOTATED)
endif
	$(Q)$(PYTHON) -m harness annotate "--study=$$STUDY" -- "$$V" "$$LEVEL"

debug: $(DEBUG_READY) ## V=v8 LEVEL=O1: step through it in gdb, from mont_mul on
ifneq ($(DEBUGGED),)
	$(Q)sh harness/setup/setup.sh debug
endif
	$(Q)PYTHON='$(PYTHON)' sh harness/driver/debug.sh $(DEBUGGED_PROGRAM)

compare: ## M=pi4,qemu-gcc12: two results folders (METRIC=loads)
	$(Q)$(PYTHON) -m rsalab.steps compare -- "$$M" "$$METRIC" "$$WORKLOAD"

models: ## cycles of an ARM1176 by model
	$(Q)$(PYTHON) -m rsalab.steps models -- "$${M:-local}"

new-iteration: ##! FROM=v8 NAME=v9: a new rung to fill in
	$(Q)$(PYTHON) -m rsalab.steps new-iteration -- "$$FROM" "$$NAME" "$$STUDY"

##@ report, notebooks, pages
.PHONY: report notebooks jupyter site slides

ifeq ($(FOR_RECORD),)
report: venv ##! your results as build/REPORT.md, .html, .pdf
	$(Q)sh harness/setup/setup.sh --some site || true
	$(Q)$(VENV) -m rsalab.report.generate -- "$${M:-local}" build/REPORT.md
	$(Q)$(VENV) -m rsalab.pages report build/REPORT.md build/REPORT.html
else
report: reference-report
endif

notebooks: venv ## your results in the notebooks: build/notebooks/ (M=pi4)
	$(Q)$(VENV) -m rsalab.pages notebooks "--results=$${M:-local}"

jupyter: | setup ##! the notebooks in JupyterLab
	$(Q)sh harness/setup/setup.sh python notebook
	$(Q)sh harness/setup/venv.sh notebooks/requirements.lock
	$(Q)$(VENV) -m rsalab.pages jupyter

site: venv ## report, notebooks, explorer, call graphs: build/site/
	$(Q)sh harness/setup/setup.sh site
	$(Q)$(VENV) -m rsalab.pages site -- "$${M:-local}" build/site

slides: venv ## a lecture of 45 minutes: build/slides.html
	$(Q)sh harness/setup/setup.sh site
	$(Q)$(VENV) -m rsalab.pages slides -- "$${M:-local}" build/slides.html

##@ exercises
.PHONY: labs lab labs-variant grade

labs: ## the list of exercises
	$(Q)$(LAB) -m labs.lab "" "" ""

ifneq ($(L),)
lab: $(if $(EXERCISE),$(LAB_READY)) ##! L=3: work on an exercise, and have it judged
	$(Q)$(LAB) -m labs.lab -- "$$L" "$$HINT" "$$SOLUTION"
else
lab: labs
endif

labs-variant: ## SEED=7 NAME=ann: exercises that are this student's alone
	$(Q)$(PYTHON) -m labs.variant -- "$$SEED" "$$NAME"

grade: $(GRADE_READY) ## DIR=submissions: check many students' folders
ifneq ($(DIR),)
	$(Q)sh harness/setup/setup.sh --some labs || true
endif
	$(Q)$(LAB) -m labs.grade -- "$$DIR"

##@ time on this machine
.PHONY: duel host perf

duel: $(DUEL_READY) ## A=v2 B=v4 LEVEL=O1: do their times differ?
	$(Q)$(PYTHON) -m harness duel "--level=$$LEVEL" "--study=$$STUDY" -- "$$A" "$$B"

host: $(HOST_READY) ## the C rungs by this machine's own compiler, timed
	$(Q)$(PYTHON) -m harness host $(HOSTED)
	$(Q)$(PYTHON) -m rsalab.steps times results/local/host

perf: ## hardware counters as a table like Dirk's
	$(Q)$(PYTHON) -m rsalab.steps perf -- "$${M:-local}"

##@ tests
.PHONY: test test-quick test-long test-bare

test: venv build/counter ##! everything that can break: 17 minutes
	$(Q)$(TEST_TOOLS)
	$(Q)$(PYTEST) -m 'not long' $$TESTS || $(NO_TEST)

test-quick: venv ## what builds no rung: about a minute
	$(Q)$(IMPORTED)
	$(Q)$(PYTEST) -m 'not slow and not long' $$TESTS || $(NO_TEST)

test-long: venv build/counter ## all tests, an hour; the last failures first
	$(Q)$(TEST_TOOLS)
	$(Q)$(PYTEST) --failed-first $$TESTS || $(NO_TEST)

test-bare: ## README's commands on a minimal Debian (SUITE=all)
	$(Q)sh harness/setup/setup.sh bare
	$(Q)$(PYTHON) tests/bare.py "--user=$${WHO:-student}" -- "$${SUITE:-bookworm}"

##@ trust: proofs, traces, mutants, fuzzing
.PHONY: prove traces mutants fuzz

prove: venv ## proofs from machine code
	$(Q)$(PROVERS)
	$(Q)$(VENV) -m verification prove

traces: $(TRACED) ## constant time: one trace for all secrets?
ifeq ($(CLANG),)
	$(Q)echo '  NOTE    clang $(if $(FOR_ARMV6),compiles for ARMv7,is not installed):' \
		'only programs of $(CC) are looked at'
endif
	$(Q)$(TRACE) $(SNAPSHOTS)

mutants: venv ## do the vectors see each planted bug?
	$(Q)$(PROVERS)
	$(Q)$(VENV) -m verification mutants

fuzz: $(FUZZED:%=fuzz/%) ## libFuzzer against GMP (RUNS=1000000 V=v7)
	$(Q)test -n '$(FUZZED)' || { echo "make: fuzz: no snapshot in C, V=$$V STUDY=$$STUDY" >&2; exit 2; }

##@ boards, and results of other machines
.PHONY: board board-count board-test board-shell farm import valid contribute

# BOARD=arm64: with a 64-bit userland and the cross compiler, as Raspberry Pi OS (64 bit).
board: ## all-iterations on an emulated ARM computer
board-count: $(call checked,$(ITERATIONS)) ## counts there, by its kernel's counters
board-test: ## one rung there, by its own compiler (B=v8)
board-shell: ## a shell on it
board board-count board-test board-shell: $(BOARD_READY)
	$(Q)$(BOARD_SETUP)
	$(Q)$(BOARD_RUN) $(patsubst board,run,$(@:board-%=%))

# B=v8 or FARM="iterations/v7 iterations/v8": only these; SSH="ssh -F file": another ssh command.
farm: $(call ready,$(FARMED)) ## BOARDS=hosts.txt: measure on several boards, over ssh
	$(Q)sh harness/setup/setup.sh farm
	$(Q)$(PYTHON) -m boards farm "--ssh=$$SSH" "--messages=$$MESSAGES" -- "$${BOARDS:-hosts.txt}" $(FARMED)

import: ## DIR=...: take another machine's results over (NAME=pi4)
	$(Q)$(PYTHON) -m boards import $(if $(FORCE),--force) "--name=$$NAME" -- "$$DIR"

valid: ## is a results folder whole? (M=pi4)
	$(Q)$(PYTHON) -m boards check -- "$${M:-local}"

contribute: ## pack your results for others (M=pi4)
	$(Q)$(PYTHON) -m boards contribute -- "$${M:-local}"

##@ the record: what is committed
.PHONY: reference-counts compilers compiler-counts reference reference-report

# The default workload at the measured levels.  Of another compiler (CC=clang) or ARMv6 the counts are enough.
reference-counts: $(call ready,$(SNAPSHOTS)) ## the counts of all, into results/<platform>/
	$(Q). build/platform && $(PYTHON) -m harness collect --messages default \
		--out "results/$$platform" $(SNAPSHOTS)

# Every compiler of records/toolchains.csv that this machine has, at the levels that programs are shipped with.  That of
# ARMv6 is gcc for another architecture.
compilers: | setup ## the ladder by every compiler here, at -O1 -O2 -O3 -Os
	+$(Q)for word in $(filter-out armv6,$(TOOLCHAINS)); do \
		sh harness/setup/has-compiler.sh "$$word" || continue; \
		$(MAKE) compiler-counts CC="$$word" LEVELS='O1 O2 O3 Os' || exit; \
	done

# CC=clang LEVELS='O2 Os': the same for one compiler.
compiler-counts: $(call ready,$(ITERATIONS))
	$(Q)$(PYTHON) -m harness compilers $(ITERATIONS)

reference: reference-counts $(PROFILED) $(TRACED) ## all results, into results/<platform>/
	$(Q). build/platform && $(PYTHON) -m harness gprof --out "results/$$platform" $(PROFILE)
	$(Q). build/platform && $(TRACE) --out "results/$$platform" $(SNAPSHOTS) >/dev/null

# `make reference report` measures first.
reference-report: venv $(FOR_RECORD) ## REPORT.md and every README, from the reference
	$(Q)$(VENV) -m rsalab.report.generate --reference
	$(Q)$(VENV) -m rsalab.pages report REPORT.md build/REPORT-reference.html
	$(Q)$(VENV) -m rsalab.pages notebooks
	$(Q)sh harness/setup/setup.sh site
	$(Q)$(VENV) -m rsalab.pages figures

##@ this machine
.PHONY: doctor venv container clean clean-all help help-all

doctor: ##! what is ready, what is missing; changes nothing
	$(Q)RSALAB_COMPILER='$(CC)' sh harness/setup/python.sh -B -m harness doctor

venv: | setup ## make .venv for tests and notebooks: 0.5 GB
	$(Q)sh harness/setup/setup.sh python
	$(Q)sh harness/setup/venv.sh

container: ## all-iterations in a container (macOS, Windows)
	$(Q)sh harness/setup/container.sh

clean: ## remove what make has built; results stay
	$(Q)rm -rf build/*; [ ! -d build ] || rmdir build 2>/dev/null || :

clean-all: clean ## remove .venv and your own results, too
	$(Q)rm -rf "$$(readlink -f build)" build .venv .*_cache results/local results/farm results/earlier
	$(Q)find . -name __pycache__ -prune -exec rm -rf {} +

# A comment `##@ title` begins a group.  `target: ... ## text` is a line of help-all, and with ##! one of help, too.
help:
	@echo "Words with a = are typed after the target, as in:  make diff B=v4 LEVEL=O3"
	@echo
	@LC_ALL=C sed -n 's/^\(# \)\{0,1\}\([a-z0-9-]*\):.*##! \(.*\)/  make \2\t\3/p' Makefile | expand -t 24
	@echo
	@echo "  make help-all         all targets, by group"

help-all:
	@LC_ALL=C sed -n -e 's/^##@ \(.*\)/\n\1/p' \
		-e 's/^\(# \)\{0,1\}\([a-z0-9-]*\):.*##!\{0,1\} \(.*\)/  make \2\t\3/p' \
		Makefile $(STUDY_FILES) | expand -t 24

# What is neither a target nor, where make -B asks for a source, a file.
.DEFAULT:
	@[ -e '$@' ] || { echo 'make: no rung, target or file $@; the rungs are: $(RUNGS);' \
		'`make help` lists the targets' >&2; exit 2; }
