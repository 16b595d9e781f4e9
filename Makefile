# Build, check and measure every snapshot.  `make` alone prints what there is.
#
#   MESSAGES=all    count every message; default: the first 80 strings and 20 integers (width 64: 1000 integers);
#                   small: the first 8 and 2; without a word it is small where counting is slow, else default
#   LEVELS='O2 Os'  other levels than O0, O1, O3, into results/local
#   CC=clang        another compiler: a word of records/toolchains.csv, or a command
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

include mk/settings.mk mk/programs.mk
.PHONY: $(RUNGS) $(shell sed -n 's/^\([a-z][a-z0-9 -]*\):.*/\1/p' Makefile)

# What a target can DO, of which the first is done without a word: $(1) target, $(2) words.
do = $(if $(filter $(1),$(MAKECMDGOALS)),$(if $(filter-out $(2),$(DO)),$(error DO=$(DO): $(1) can do: $(2)))\
	$(addprefix $(1)-,$(or $(DO),$(firstword $(2)))))

# $(1) folders: everything that has to be there before they may be measured.
checked  = $(foreach s,$(1),$(foreach l,$(LEVELS),build/$(s)/$(l)/check.ok))
ready    = $(call checked,$(1)) build/selftest build/counter
COLLECT := $(PYTHON) -m harness collect --messages "$$MESSAGES"
TABLE   := $(PYTHON) -m rsalab.steps table results/local
# $(1) folders: the one that STUDY and V name, if it is among them.  A % in a name is no pattern.
study_of = $(if $(filter iterations,$(STUDY)),iterations,studies/$(STUDY))
named    = $(filter $(subst %,\%,$(call study_of)/$(V)),$(1))

##@ the ladder
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
	$(Q)$(TABLE) $(sort $(foreach s,$(STUDIES),$(word 2,$(subst /, ,$(s)))))
check: $(call checked,$(ITERATIONS)) ## build every rung and check it against the vectors; measure nothing

# Only `make reference report` writes what is committed: the default workload at O0, O1 and O3.
# Of another compiler (CC=clang) the counts are enough.
reference-counts: $(call ready,$(SNAPSHOTS))
	$(Q). build/platform && $(PYTHON) -m harness collect --messages default \
		--out "results/$$platform" $(SNAPSHOTS)
reference: reference-counts $(PROFILED) $(TRACED) $(LONG_READY) ## measure everything for the record
	$(Q). build/platform && $(LONG_MEASURE) --out "results/$$platform"
	$(Q). build/platform && $(PYTHON) -m harness gprof --out "results/$$platform" $(PROFILE)
	$(Q). build/platform && $(PYTHON) -m rsalab.steps models "results/$$platform" --keep >/dev/null
	$(Q). build/platform && $(TRACE) --out "results/$$platform" $(SNAPSHOTS) >/dev/null

##@ read a step, read the results
DIFFED := $(foreach s,$(SNAPSHOTS),$(foreach l,$(ONE_LEVEL),build/$(s)/$(l)/rsa.s))
diff: $(if $(B),venv $(DIFFED),steps) ## B=v4: a rung beside its parent, C and assembly (LEVEL=O3 A=v0); no B: all sizes
	$(Q)$(if $(B),$(VENV) -m rsalab.steps diff "$$B" "$$A" "$$STUDY" "$$LEVEL")
steps: ; $(Q)$(PYTHON) -m rsalab.steps sizes "$$STUDY"
why: ## B=v4: why a step gains, by function and by class of instruction (M=qemu-gcc12: other results)
	$(Q)$(PYTHON) -m rsalab.steps why "$$B" "$$STUDY" "$$M"
scoreboard: ## what each step was expected to gain, what it gained, and the commit that predicted it
	$(Q)$(PYTHON) -m rsalab.steps scoreboard "$$STUDY" "$$M"
explore: $(call ready,$(ITERATIONS)) ## any two rungs side by side, with the count of every line: build/explorer.html
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(PYTHON) -m rsalab.explorer.page results/local build/explorer.html
compare: ## M=pi4,qemu-gcc12: two results folders side by side (METRIC=loads CASE=mont_mul)
	$(Q)$(PYTHON) -m rsalab.steps compare "$$M" "$$METRIC" "$$CASE"
$(if $(and $(FOR_RECORD),$(filter report,$(MAKECMDGOALS)),$(M)),$(error M=$(M): the reference's report has none))
report: venv $(FOR_RECORD) ## your own results as build/REPORT.md, .html, .pdf (M=qemu-gcc12: other results)
ifeq ($(FOR_RECORD),)
	$(Q)$(VENV) -m rsalab.report.generate "results/$${M:-local}" build/REPORT.md
	$(Q)$(VENV) -m rsalab.pages report build/REPORT.md build/REPORT.html
else
	$(Q)$(VENV) -m rsalab.report.generate --reference
	$(Q)$(VENV) -m rsalab.pages report REPORT.md build/REPORT-reference.html
	$(Q)$(VENV) -m rsalab.pages notebooks
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages figures
endif

##@ notebooks and pages
notebooks: $(call do,notebooks,run jupyter) ## run the notebooks on your own results: build/notebooks/ (DO=jupyter)
notebooks-run: venv ; $(Q)$(VENV) -m rsalab.pages notebooks --results results/local
jupyter notebooks-jupyter: | setup
	$(Q)harness/setup/setup.sh python notebook && harness/setup/venv.sh notebooks/requirements.lock
	$(Q)$(VENV) -m rsalab.pages jupyter
site: $(call do,site,pages slides) ## report, notebooks, explorer, call graphs: build/site (DO=slides; M=qemu-gcc12)
site-pages: venv
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages site "results/$${M:-local}" build/site
slides site-slides: venv
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages slides "results/$${M:-local}" build/slides.html
models: ## cycles of an ARM1176 and a Cortex-A72 by model, with its error (M=qemu-gcc12: other results)
	$(Q)$(PYTHON) -m rsalab.steps models "results/$${M:-local}" $(if $(M),,--keep)
new-iteration: ## FROM=v8 NAME=v9: a new rung to fill in
	$(Q)$(PYTHON) -m rsalab.steps new-iteration "$$FROM" "$$NAME" "$$STUDY"

##@ where the instructions go
ONE      := $(if $(filter $(LEVELS),$(LEVEL)),$(call named,$(SNAPSHOTS)))
annotate: $(if $(ONE),$(call ready,$(ONE))) ## V=v6 LEVEL=O1: exact counts beside every line, and for KCachegrind
	$(Q)$(if $(ONE),$(COLLECT) $(ONE),true)
	$(Q)$(PYTHON) -m harness annotate --study "$$STUDY" "$$V" "$$LEVEL"
gprof: $(PROFILED) build/platform ## call graphs of every rung and study, texts and SVG: results/local/gprof/
	$(Q)$(PYTHON) -m harness gprof $(PROFILE)
DEBUGGED := $(if $(ONE_LEVEL),$(call named,$(SNAPSHOTS)))
debug: $(DEBUGGED:%=build/%/$(ONE_LEVEL)/rsa) build/platform ## V=v8 LEVEL=O1: step through it in gdb, from mont_mul on
	$(Q)$(if $(DEBUGGED),harness/setup/setup.sh debug)
	$(Q)PYTHON='$(PYTHON)' harness/driver/debug.sh \
		$(if $(DEBUGGED),build/$(DEBUGGED)/$(ONE_LEVEL)/rsa $(call width_of,$(DEBUGGED)))

##@ time on this machine
# A duel is between ARM programs where they run directly, else between the host's.
duellist   = $(filter $(if $(findstring /,$(1)),studies,$(study_of))/$(1),$(SNAPSHOTS))
DUELLISTS := $(if $(and $(call duellist,$(A)),$(call duellist,$(B))),$(call duellist,$(A)) $(call duellist,$(B)))
FOUGHT    := $(foreach l,$(ONE_LEVEL),$(DUELLISTS:%=build/%/$(l)/check.ok) \
	$(patsubst %,build/host/%/$(l)/check.ok,$(filter $(DUELLISTS),$(HOST_ALL))))
duel: $(if $(FOUGHT),build/platform build/host/platform $(FOUGHT)) ## A=v2 B=v4 LEVEL=O1: do their times differ?
	$(Q)$(PYTHON) -m harness duel --level "$$LEVEL" --study "$$STUDY" "$$A" "$$B"

# The ladder, and the studies that show what a branch costs.
BRANCHES := $(patsubst %/README.md,%,$(shell grep -ls '<!-- mispredictions -->' studies/*/*/README.md))
HOSTED   := $(ITERATIONS) $(filter $(BRANCHES),$(HOST_ALL))
HOST_OK  := $(foreach s,$(filter $(HOSTED),$(HOST_ALL)),$(foreach l,$(LEVELS),build/host/$(s)/$(l)/check.ok))
host: $(HOST_OK) ## build the C rungs with this machine's own compiler, check and time them
	$(Q)$(PYTHON) -m harness host $(HOSTED)
	$(Q)$(PYTHON) -m rsalab.steps times results/local/host
perf: ## hardware counters as a table like Dirk's (M=local: of which results)
	$(Q)$(PYTHON) -m rsalab.steps perf "results/$${M:-local}"

##@ tests
# TESTS is cut at its spaces, and nothing else of it means anything to the shell.
NO_TEST = { status=$$?; [ $$status != 5 ] || echo "make: TESTS=$$TESTS: no such test" >&2; exit $$status; }
PYTEST := set -f; $(VENV) -m pytest -n auto --maxprocesses 8
ALL_OF  = harness/setup/setup.sh site tests fuzz openssl labs; $(PROVERS) studies/width-1024/requirements.lock || true
test: ## all tests but the long ones: minutes (TESTS='tests/records -k workload': only these)
test test-long: venv build/counter
	$(Q)$(ALL_OF)
	$(Q)$(PYTEST) $(if $(findstring long,$@),--failed-first,-m 'not long') $$TESTS || $(NO_TEST)
test-quick: venv ## only the quick tests, which build no rung: about a minute
	$(Q)$(PYTEST) -m 'not slow and not long' $$TESTS || $(NO_TEST)
test-long: ## all tests, an hour; those that failed last time come first
test-bare: ## SUITE=trixie: README's commands on a minimal Debian: half an hour (WHO=root)
	$(Q)harness/setup/setup.sh bare && $(PYTHON) tests/bare.py "$${SUITE:-bookworm}" --user "$${WHO:-student}"

##@ trust
# traces: constant time; mutants: do the vectors see each; fuzz: libFuzzer and GMP (RUNS=1000000 V=v7 STUDY=width-64)
verify: $(call do,verify,proofs traces mutants fuzz) ## proofs from machine code (DO=traces, DO=mutants, DO=fuzz)
# The decoder and the solver have wheels for 64-bit machines only; where there is none, a line says so.
PROVERS := harness/setup/venv.sh verification/requirements.lock
prove verify-proofs mutants verify-mutants: venv
	$(Q)$(PROVERS) && $(VENV) -m verification $(if $(findstring mutants,$@),mutants,prove)

TRACE  := $(PYTHON) -m verification traces \
	--clang "$$($(if $(CLANG),clang --version | head -n 1,true))"
traces verify-traces: $(TRACED)
	$(Q)$(if $(CLANG),true,echo '  NOTE    clang is not installed: only programs of $(CC) are looked at')
	$(Q)$(TRACE) $(SNAPSHOTS)
FUZZED := $(if $(V),$(call named,$(HOST_ALL)),$(filter $(subst %,\%,$(call study_of))/%,$(HOST_ALL)))
fuzz verify-fuzz: $(FUZZED:%=fuzz/%)
	$(Q)test -n '$(FUZZED)' || { echo "make: fuzz: no snapshot in C, V=$$V STUDY=$$STUDY" >&2; exit 2; }

##@ long numbers, OpenSSL, hardware, exercises
LONG_MEASURE := $(LONG_RUN) measure
width-1024: $(LONG_READY) build/selftest build/counter ## products, powers and RSA of 64 to 2048 bits
	$(Q)$(LONG_MEASURE)
	$(Q)$(PYTHON) -m rsalab.long_numbers results/local
crt: venv $(CRT) ## the private operation by CRT, 128 bits: check, count, look for leaks
	$(Q)PYTHONPATH=. $(VENV) studies/limit/crt/crt.py $(CRT)
openssl: $(call do,openssl,build test speed) ## OpenSSL 3.1.1: C, its assembly, ours (OPENSSL_SRC=PATH DO=test, speed)
openssl-speed: build/operation.so
openssl-build openssl-test openssl-speed: build/platform
	$(Q)harness/setup/setup.sh openssl
	$(Q)PYTHONPATH=. $(PYTHON) studies/openssl/openssl.py $(@:openssl-%=%)
peers: $(LONG_READY) build/operation.so ## x^e mod n by GMP, OpenSSL, wolfSSL, ... beside ours (PEERS_SRC=FOLDER)
peers: $(call checked,iterations/v8 $(filter studies/limit/%,$(STUDIES)))
	$(Q)harness/setup/setup.sh openssl peers || true
	$(Q)PYTHONPATH=.:studies/openssl $(PYTHON) studies/limit/$@/$@.py
# hw-test: ## units in Verilog: vectors, proofs, planted faults (Icarus Verilog)
# hw-synth: ## what they take on an ECP5: cells, clock rate, time (ALL=1: every unit)
# cores: ## the C rungs in clock cycles of two open RISC-V cores, simulated (Verilator)
hw-test hw-synth cores: ; +$(Q)$(MAKE) -C studies/hardware $@
LAB_READY := build/platform build/selftest build/counter build/trace.so $(call driver,128,build/host) \
	$(foreach l,$(LABS),$(call driver,$(call width_of,$(l)),build))
LAB := $(foreach v,CC ARCH WARN LDFLAGS OBJCOPY PYTHON HOST_CC,$(v)='$($(v))') $(PYTHON)
lab: $(if $(L),$(LAB_READY)) ## L=3: build, check, count your work on an exercise (HINT=1, SOLUTION=1); no L: a list
	$(Q)$(LAB) -m labs.lab "$$L" "$$HINT" "$$SOLUTION"
grade: $(if $(DIR),$(LAB_READY)) ## DIR=submissions: check many students' folders into one CSV (UNSAFE=1: no sandbox)
	$(Q)$(if $(DIR),harness/setup/setup.sh labs || true)
	$(Q)$(LAB) -m labs.grade "$$DIR"

##@ boards
# FARM="iterations/v7 iterations/v8": only these; SSH="ssh -F file": another ssh command.
FARMED := $(or $(FARM),$(ITERATIONS))
farm: $(call ready,$(FARMED)) ## BOARDS=hosts.txt: measure on several boards at once, over ssh
	$(Q)harness/setup/setup.sh farm
	$(Q)$(PYTHON) -m boards farm --ssh "$$SSH" --messages "$$MESSAGES" "$${BOARDS:-hosts.txt}" $(FARMED)
import: $(call do,import,take check contribute) ## DIR=...: take results over (NAME=pi4 FORCE=1 DO=check, contribute)
import-take: ; $(Q)$(PYTHON) -m boards import $(if $(FORCE),--force) --name "$$NAME" "$$DIR"
valid import-check contribute import-contribute:
	$(Q)$(PYTHON) -m boards $(if $(findstring contribute,$@),contribute,check) "results/$${M:-local}"
# BOARD=arm64: with a 64-bit userland and the cross compiler, as Raspberry Pi OS (64 bit).
board: $(call do,board,run count test shell) ## all-iterations on an emulated ARM computer (B=v8 DO=count, test, shell)
$(if $(filter %board board-%,$(MAKECMDGOALS)),$(call one_of,B,$(RUNGS)))
board-count: $(call checked,$(ITERATIONS))
board-run board-count board-test test-board board-shell: | setup build/count.so build/unicorn
	$(Q)harness/setup/setup.sh board && harness/setup/unicorn.sh && $(PYTHON) -m boards board \
		--kind "$${BOARD:-armhf}" --rung "$$B" $(filter run count test shell,$(subst -, ,$@))

##@ this machine
doctor: ## what is ready, what is missing and what to type; changes nothing
	$(Q)COMPILER='$(CC)' harness/setup/python.sh -B -m harness doctor
venv: | setup ## make .venv for the tests, the notebooks and make diff: 0.5 GB
	$(Q)harness/setup/setup.sh python && harness/setup/venv.sh
container: ## make all-iterations in a container, for macOS and Windows
	$(Q)harness/setup/container.sh
clean: ## remove what make has built; results stay (ALL=1: .venv, own results, too)
	$(Q)rm -rf build
	$(Q)$(if $(ALL),rm -rf .venv .*_cache results/local results/farm \
		results/earlier && find . -name __pycache__ -prune -exec rm -rf {} +)

# A comment `##@ title` begins a group; `target: ... ## text` is a line of it.
help:
	@echo "Words with a = are typed after the target, as in:  make diff B=v4 LEVEL=O3"
	@sed -n -e 's/^##@ \(.*\)/\n\1/p' \
		-e 's/^\(# \)\{0,1\}\([a-z0-9][a-z0-9-]*\):.*## \(.*\)/  make \2\t\3/p' $(MAKEFILE_LIST) | expand -t 24
