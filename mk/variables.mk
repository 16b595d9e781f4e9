# What a user may say on the command line; recipes read it from the environment ("$$B").

DATA := A B BOARD BOARDS CASE COUNTER DIR ENGINE FARM FORCE FROM HINT L LEVEL LEVELS LIMIT M MESSAGES METRIC \
	NAME OPENSSL_SRC Q RUNS SEED SOLUTION SSH STUDY SUITE TESTS UNSAFE V WHO YES
# These are commands and their options.
COMMANDS := ARCH CC HOSTCC LDFLAGS OBJCOPY PYTHON WARN

said_here := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
strange   := $(filter-out $(DATA) $(COMMANDS) MAKE% SHELL -%,$(said_here))
ifneq ($(strange),)
$(error there is no variable $(strange); `make help` says what there is)
endif

Q         ?= @
FARM      ?= $(ITERATIONS)
LEVEL     ?= O1
RUNS      ?= 20000
SSH       ?= ssh
STUDY     ?= iterations
export $(filter-out Q,$(DATA))
override Q := $(filter @,$(Q))

without_digits = $(subst 0,,$(subst 1,,$(subst 2,,$(subst 3,,$(subst 4,,$(1))))))
not_a_number   = $(subst 5,,$(subst 6,,$(subst 7,,$(subst 8,,$(subst 9,,$(call without_digits,$(1)))))))
ifneq ($(call not_a_number,$(LIMIT))$(filter 0%,$(LIMIT)),)
$(error LIMIT: say a whole number of seconds, such as LIMIT=7200)
endif
ifneq ($(filter-out small default all,$(MESSAGES)),)
$(error MESSAGES=$(MESSAGES): say small, default or all)
endif
ifneq ($(filter-out plugin unicorn none,$(COUNTER)),)
$(error COUNTER=$(COUNTER): say plugin, unicorn or none)
endif
ifneq ($(call not_a_number,$(RUNS))$(filter 0%,$(RUNS)),)
$(error RUNS: say a whole number of inputs, such as RUNS=1000000)
endif

# --- levels ----------------------------------------------------------------------------------------

EVERY_LEVEL := O0 O1 O2 O3 Os Og Oz Ofast
ifneq ($(filter-out $(EVERY_LEVEL),$(LEVELS)),)
$(error LEVELS: no level $(filter-out $(EVERY_LEVEL),$(LEVELS)); there are: $(EVERY_LEVEL))
endif
override LEVELS := $(filter $(or $(strip $(LEVELS)),O0 O1 O3),$(EVERY_LEVEL))
ifneq ($(filter reference,$(MAKECMDGOALS)),)
override LEVELS := O0 O1 O3
endif
# LEVEL is one of them, or one more for what asks for a single program (make diff, make debug).
ONE_LEVEL := $(filter $(LEVEL),$(EVERY_LEVEL))
BUILT     := $(sort $(LEVELS) $(ONE_LEVEL))

# --- Python ----------------------------------------------------------------------------------------

ifneq ($(filter PYTHON,$(said_here)),)
export PYTHON
else
PYTHON := $(or $(wildcard /usr/bin/python3),$(shell command -v python3),harness/setup/python.sh)
endif
VENV   := .venv/bin/python
