# Which targets read a variable.  One that no target of a command reads would be ignored: it is an error instead.
takes_A           := diff duel
takes_ALL         := hw-synth
takes_B           := board board-% diff duel farm predict why
takes_BOARD       := board board-%
takes_BOARDS      := farm
takes_WORKLOAD    := compare
takes_CLAIMS      := scoreboard why
takes_COPIES      := grade
takes_DIR         := grade import
takes_ENGINE      := container
takes_FARM        := farm
takes_FORCE       := grade import predict
takes_FROM        := new-iteration
takes_HINT        := lab
takes_L           := lab
takes_LEVEL       := annotate debug diff duel run
takes_M           := compare contribute models notebooks perf predict report scoreboard site slides valid why
takes_MARK        := grade
takes_METRIC      := compare
takes_NAME        := import labs-variant new-iteration
takes_OPENSSL_SRC := openssl openssl-% peers
takes_PEERS_SRC   := peers
takes_RUNS        := fuzz fuzz/%
takes_SECRETS     := lanes
takes_SOLUTION    := lab
takes_SPACE       := diff
takes_SSH         := farm
takes_STUDY       := annotate debug diff duel fuzz new-iteration predict run scoreboard steps why
takes_SUITE       := test-bare
takes_TESTS       := test test-long test-quick
takes_TEXT        := run
takes_UNSAFE      := grade
takes_V           := annotate debug diff fuzz predict run why
takes_VARIANTS    := grade
takes_WHO         := test-bare

GOALS  := $(or $(MAKECMDGOALS),help)
LISTED := $(patsubst takes_%,%,$(filter takes_%,$(.VARIABLES)))
# $(1) a variable that is typed.
unread  = $(if $(filter $(takes_$(1)),$(GOALS)),,\
	$(error $(1)=$($(1)): $(firstword $(GOALS)) does not read it; those that do: $(takes_$(1))))
$(foreach v,$(filter $(LISTED),$(said_here)),$(call unread,$(v)))

# What shows results builds nothing.
SHOWN  := $(firstword $(filter why predict scoreboard compare models,$(GOALS)))
$(if $(and $(SHOWN),$(filter CC,$(said_here))),\
	$(error CC=$(or $(TOOLCHAIN),$(CC)): make $(SHOWN) shows results that are there: M=qemu-clang14 shows clang's))

# The text that is left of a number without its digits.  $(1) a number, $(2) the digits.
without = $(if $(2),$(call without,$(subst $(firstword $(2)),,$(1)),$(wordlist 2,10,$(2))),$(1))
# A whole number from 1 on.  $(1) variable, $(2) an example.
whole = $(if $(or $(call without,$($(1)),0 1 2 3 4 5 6 7 8 9),$(word 2,$($(1))),$(filter 0%,$($(1)))),\
	$(error $(1)=$($(1)): say a whole number, such as $(1)=$(2)))
$(if $(filter lanes,$(GOALS)),$(call whole,SECRETS,32))
