# What the targets of the Makefile need before they start, and the commands that several of them use.

# Programs are measured once they are there, each with its check.ok, and a counter that works.
# $(1): folders of snapshots.
checked = $(foreach folder,$(1),$(foreach level,$(LEVELS),build/$(folder)/$(level)/check.ok))
ready   = $(call checked,$(1)) build/selftest build/counter
COLLECT := $(PYTHON) -m harness collect --messages "$$MESSAGES"
TABLE   := $(PYTHON) -m rsalab.steps table results/local
# A line that says what has no program for ARMv6.  $(1): a pattern of folders.
left_out      = $(patsubst studies/%,%,$(patsubst iterations/%,%,$(filter $(1),$(LEFT_OUT))))
note_left_out = $(if $(call left_out,$(1)),echo '  NOTE    for ARMv7 only: $(call left_out,$(1))',:)
# The studies by name: alone, limit, width-64 ...
STUDY_NAMES := $(sort $(foreach folder,$(STUDIES),$(word 2,$(subst /, ,$(folder)))))

# make v9: its parent is measured with it, at a level of which there are no results of the same messages yet.
# $(1) a rung.
TRIP       := roundtrip-$(if $(filter small,$(MESSAGES)),small,full)
parent_of   = $(filter $(RUNGS),$(shell sed -n 's/^parent: *//p' iterations/$(1)/README.md))
has_results = $(shell grep -qs '^iterations,$(1),$(2),.*,$(TRIP),' results/local/*.csv && echo yes)
new_levels  = $(strip $(foreach level,$(LEVELS),$(if $(call has_results,$(1),$(level)),,$(level))))
unmeasured  = $(if $(call new_levels,$(1)),iterations/$(1))
NEW_PARENTS := $(foreach rung,$(filter $(RUNGS),$(MAKECMDGOALS)),\
	$(foreach parent,$(call parent_of,$(rung)),$(call unmeasured,$(parent))))

# The folder of a name that is typed, such as v4 or alone/wide-flags.  A % in it is no pattern.
study_of  = $(if $(filter iterations,$(STUDY)),iterations,studies/$(STUDY))
folder_of = $(subst %,\%,$(if $(findstring /,$(1)),studies,$(study_of))/$(1))
# $(1): folders.  The one that STUDY and V name, if it is among them.
named     = $(filter $(subst %,\%,$(call study_of)/$(V)),$(1))
ONE      := $(call named,$(SNAPSHOTS))

# What is left out has no program.
PROGRAMS := $(MAKECMDGOALS) $(if $(filter run annotate debug diff duel,$(MAKECMDGOALS)),$(V) $(A) $(B))
REFUSED  := $(firstword $(filter $(foreach name,$(PROGRAMS),$(call folder_of,$(name))),$(LEFT_OUT)) $(NO_ARMV6))
$(if $(REFUSED),$(error $(REFUSED) needs ARMv7, and these programs are for ARMv6 ($(firstword $(CC)))))

# make run
RUN_READY := $(if $(and $(ONE),$(ONE_LEVEL)),$(ONE:%=build/%/$(ONE_LEVEL)/check.ok) build/selftest build/counter)

# make diff: the compiler's assembly of every snapshot, because a parent may be any of them.
DIFFED := $(foreach folder,$(SNAPSHOTS),$(ONE_LEVEL:%=build/$(folder)/%/rsa.s))

# make annotate: a program of a level that is measured.
ANNOTATED      := $(if $(filter $(LEVELS),$(LEVEL)),$(ONE))
ANNOTATE_READY := $(if $(ANNOTATED),$(call ready,$(ANNOTATED)))

# make debug: without a program debug.sh says what is missing.
DEBUGGED         := $(if $(ONE_LEVEL),$(ONE))
DEBUG_READY      := $(DEBUGGED:%=build/%/$(ONE_LEVEL)/rsa) build/platform
DEBUGGED_PROGRAM := $(if $(DEBUGGED),build/$(DEBUGGED)/$(ONE_LEVEL)/rsa $(call width_of,$(DEBUGGED)))

# make duel: between ARM programs where they run directly, else between the host's.
duellist   = $(filter $(call folder_of,$(1)),$(SNAPSHOTS))
DUELLISTS  := $(if $(and $(call duellist,$(A)),$(call duellist,$(B))),$(call duellist,$(A)) $(call duellist,$(B)))
DUEL_ARM   := $(foreach level,$(ONE_LEVEL),$(DUELLISTS:%=build/%/$(level)/check.ok))
DUEL_HOST  := $(foreach level,$(ONE_LEVEL),$(patsubst %,build/host/%/$(level)/check.ok,\
	$(filter $(DUELLISTS),$(HOST_ALL))))
DUEL_READY := build/platform build/host/platform $(DUEL_ARM) $(DUEL_HOST)

# make host: the ladder, and the studies that show what a branch costs.
BRANCHES   := $(patsubst %/README.md,%,$(shell grep -ls '<!-- mispredictions -->' studies/*/*/README.md))
HOSTED     := $(ITERATIONS) $(filter $(BRANCHES),$(HOST_ALL))
HOST_READY := $(foreach folder,$(filter $(HOSTED),$(HOST_ALL)),$(LEVELS:%=build/host/$(folder)/%/check.ok))

# The tests.  TESTS is cut at its spaces, and nothing else of it means anything to the shell.  pytest ends with status 5
# when it has found no test.
PYTEST     := set -f; unset MAKEFLAGS MAKELEVEL MFLAGS PYTHONPATH PYTHONSAFEPATH; \
	$(VENV) -m pytest -n auto --maxprocesses 8
NO_TEST     = { status=$$?; [ $$status != 5 ] || echo "make: TESTS=$$TESTS: no such test" >&2; exit $$status; }
TEST_TOOLS  = sh harness/setup/setup.sh --some site tests fuzz openssl labs; $(IMPORTED)
# What the tests import beside .venv's packages.
IMPORTED    = $(PROVERS) studies/width-1024/requirements.lock || true

# Proofs: the decoder and the solver have wheels for 64-bit machines only; where there is none, a line says so.
PROVERS := sh harness/setup/venv.sh verification/requirements.lock
TRACE   := $(PYTHON) -m verification traces --clang "$$($(if $(CLANG),clang --version | head -n 1,true))"
FUZZED  := $(if $(V),$(call named,$(HOST_ALL)),$(filter $(subst %,\%,$(call study_of))/%,$(HOST_ALL)))

# Exercises: make's compiler builds what students write.
LAB_WIDTHS  := $(sort $(foreach lab,$(LABS),$(call width_of,$(lab))) $(OTHER_WIDTHS))
LAB_DRIVERS := $(call driver,build/host/harness/128) \
	$(foreach width,$(LAB_WIDTHS),$(call driver,build/harness/$(width)))
LAB_READY   := build/platform build/selftest build/counter build/trace.so $(LAB_DRIVERS)
# Nothing is set up for an exercise that does not exist.
EXERCISES   := $(L) $(foreach width,$(OTHER_WIDTHS),$(patsubst %-$(width),%,$(L)))
EXERCISE    := $(wildcard $(foreach l,$(EXERCISES),labs/$(l) labs/0$(l) labs/$(l)-* labs/0$(l)-*))
GRADE_READY := $(if $(DIR),$(LAB_READY))
LAB          = $(foreach name,CC CODE WARN LDFLAGS OBJCOPY PYTHON HOST_CC,$(name)='$($(name))') $(PYTHON)

# Boards.
BOARD_READY := build/count.so build/unicorn
BOARD_SETUP := sh harness/setup/setup.sh board && sh harness/setup/unicorn.sh
BOARD_RUN   := $(PYTHON) -m boards board --kind "$${BOARD:-armhf}" --rung "$$B"
FARMED      := $(or $(FARM),$(if $(B),iterations/$(B)),$(ITERATIONS))
$(if $(filter board board-% farm,$(MAKECMDGOALS)),$(call one_of,B,$(RUNGS)))
$(if $(and $(FOR_RECORD),$(filter report,$(MAKECMDGOALS)),$(M)),$(error M=$(M): the reference's report has none))
# What reads the usual compiler's line of records/toolchains.csv, and would leave CC out of account.
BY_GCC := $(filter openssl openssl-% cores cores-% peers prove mutants,$(MAKECMDGOALS))
$(if $(and $(BY_GCC),$(filter-out $(call command_of,gcc),$(CC))),\
	$(error CC=$(or $(TOOLCHAIN),$(CC)): $(firstword $(BY_GCC)) is by gcc alone: type it without CC))
