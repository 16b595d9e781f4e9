# What a user may say on the command line; recipes read it from the environment ("$$B").
DATA := A ALL B BOARD BOARDS CASE COUNTER DIR DO ENGINE FARM FORCE FROM HINT L LEVEL LEVELS LIMIT M MARK MESSAGES \
	METRIC NAME OPENSSL_SRC PEERS_SRC Q RUNS SEED SOLUTION SSH STUDY SUITE TESTS UNSAFE V WHO YES
COMMANDS := ARCH CC HOSTCC LDFLAGS OBJCOPY PYTHON WARN
said_here := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
strange   := $(filter-out $(DATA) $(COMMANDS) MAKE% SHELL -%,$(said_here))
$(if $(strange),$(error there is no variable $(strange); `make help` says what there is))
Q         ?= @
LEVEL     ?= O1
RUNS      ?= 20000
SSH       ?= ssh
STUDY     ?= iterations
export $(filter-out Q,$(DATA))
override Q := $(filter @,$(Q))
# $(1) variable, $(2) what it may be.
one_of = $(if $(filter-out $(2),$($(1))),$(error $(1)=$($(1)): say $(2)))
$(call one_of,MESSAGES,small default all)
$(call one_of,COUNTER,plugin unicorn none)
$(call one_of,BOARD,armhf arm64)
# Only the reference's levels are recorded.  LEVEL is one more for what asks for a single program.
EVERY_LEVEL := O0 O1 O2 O3 Os Og Oz Ofast
$(call one_of,LEVELS,$(EVERY_LEVEL))
FOR_RECORD      := $(filter reference,$(MAKECMDGOALS))
override LEVELS := $(filter $(or $(if $(FOR_RECORD),,$(strip $(LEVELS))),O0 O1 O3),$(EVERY_LEVEL))
ONE_LEVEL       := $(filter $(LEVEL),$(EVERY_LEVEL))
BUILT           := $(sort $(LEVELS) $(ONE_LEVEL))
PYTHON := $(or $(wildcard /usr/bin/python3),$(shell command -v python3),harness/setup/python.sh)
VENV   := .venv/bin/python
