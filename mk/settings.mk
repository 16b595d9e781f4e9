# --- what a user may say on the command line: mk/takes.mk ---

# Compilers and other programs, and their options: mk/programs.mk.
COMMANDS := ARCH CC HOSTCC LDFLAGS OBJCOPY PYTHON WARN
# A variable that there is not is a slip of the keyboard.
said_here := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
strange   := $(filter-out $(DATA) $(COMMANDS) MAKE% SHELL -%,$(said_here))
$(if $(strange),$(error there is no variable $(strange); `make help` says what there is))

GOALS  := $(or $(MAKECMDGOALS),help)
# $(1) a variable that is typed.
unread  = $(if $(filter $(takes_$(1)),$(GOALS)),,\
	$(error $(1)=$($(1)): $(firstword $(GOALS)) does not read it; those that do: $(takes_$(1))))
$(foreach v,$(filter $(LISTED),$(said_here)),$(call unread,$(v)))

Q         ?= @
LEVEL     ?= O1
RUNS      ?= 20000
SSH       ?= ssh
STUDY     ?= iterations
# Of these only what is typed counts: shells and desktops set such variables for themselves (NAME in WSL).
$(foreach v,BUILD DIR FROM NAME TEXT WHO,\
	$(if $(filter environment,$(firstword $(origin $(v)))),$(eval override $(v) :=)))
# A text is taken as it is typed: a $ in it is none of make's.
override TEXT := $(value TEXT)
export $(filter-out Q,$(DATA))
override Q := $(filter @,$(Q))
# build is a link to a folder that is named; make has not looked at anything in it yet.
NOT_THERE := $(if $(BUILD),$(shell sh harness/setup/elsewhere.sh '$(subst ','\'',$(BUILD))'))
$(if $(NOT_THERE),$(error $(NOT_THERE)))

# What the caller has set for other Pythons and shells does not reach ours.
unexport BASH_ENV CDPATH ENV GREP_OPTIONS POSIXLY_CORRECT PYTHONHOME PYTHONSTARTUP
unexport PYTHONINSPECT PYTHONOPTIMIZE PYTHONWARNINGS PYTHONCASEOK PYTHONUTF8 PYTHONIOENCODING
# A Python finds our modules by path/sitecustomize.py, and no file of the folder that it is started in.
export PYTHONSAFEPATH := 1
export PYTHONPATH     := harness/setup/path
# Nor what changes code without a word on the command line: what compilers, linkers and qemu-arm obey.
unexport CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH LIBRARY_PATH LD_RUN_PATH LDEMULATION GNUTARGET
unexport GCC_EXEC_PREFIX GCC_SPECS GCC_COMPARE_DEBUG COMPILER_PATH COLLECT_GCC_OPTIONS DEPENDENCIES_OUTPUT
unexport SUNPRO_DEPENDENCIES SOURCE_DATE_EPOCH CCC_OVERRIDE_OPTIONS CCC_ADD_ARGS CLANG_NO_DEFAULT_CONFIG
unexport CL _CL_ QEMU_CPU QEMU_LD_PREFIX QEMU_SET_ENV QEMU_UNSET_ENV QEMU_STACK_SIZE QEMU_LOG QEMU_STRACE

# --- what they may be ---

# $(1) variable, $(2) what it may be.
one_of = $(if $(filter-out $(2),$($(1))),$(error $(1)=$($(1)): say $(2)))
$(call one_of,MESSAGES,small default all)
$(call one_of,COUNTER,plugin unicorn none)
$(call one_of,BOARD,armhf arm64)
$(foreach v,FORCE SOLUTION SPACE UNSAFE,$(call one_of,$(v),1))

# The text that is left of a number without its digits.  $(1) a number, $(2) the digits.
without = $(if $(2),$(call without,$(subst $(firstword $(2)),,$(1)),$(wordlist 2,10,$(2))),$(1))
# A whole number from 1 on.  $(1) variable, $(2) an example.
a_number = $(if $(or $(call without,$($(1)),0 1 2 3 4 5 6 7 8 9),$(word 2,$($(1))),$(filter 0%,$($(1)))),\
	$(error $(1)=$($(1)): say a whole number, such as $(1)=$(2)))
$(if $(filter lanes,$(GOALS)),$(call a_number,SECRETS,32))

# --- levels ---

# The levels that compilers have, and those of them that are measured: a line of this file each.
# LEVELS: those of a run, of which the reference takes none but the measured ones.  LEVEL is one more for what asks for
# a single program.  BUILT: every level of which make can build a program now.
EVERY_LEVEL := $(shell sh harness/setup/list.sh levels)
MEASURED    := $(shell sh harness/setup/list.sh measured)
$(call one_of,LEVELS,$(EVERY_LEVEL))
FOR_RECORD      := $(filter reference,$(MAKECMDGOALS))
MEASURING       := $(if $(filter reference reference-counts,$(MAKECMDGOALS)),,$(strip $(LEVELS)))
override LEVELS := $(filter $(or $(MEASURING),$(MEASURED)),$(EVERY_LEVEL))
ONE_LEVEL       := $(filter $(LEVEL),$(EVERY_LEVEL))
BUILT           := $(sort $(LEVELS) $(ONE_LEVEL))

# --- the compiler ---

# CC is a word of records/toolchains.csv, or any command; the caller's environment does not choose it.
TOOLCHAINS := $(shell sh harness/setup/list.sh compilers)
# $(1) word.
command_of  = $(shell sh harness/setup/list.sh command $(1))
prefix_of   = $(shell sh harness/setup/list.sh prefix $(1))
TOOLCHAIN  := $(if $(filter command,$(firstword $(origin CC))),$(if $(word 2,$(CC)),,$(filter $(CC),$(TOOLCHAINS))),gcc)

# The options of a command are a reader's own: they come last, and the platform's name says them (harness/compiler.py).
# $(1) a command.  --target= says which compiler clang is.
before_options = $(if $(filter-out -%,$(firstword $(1)))$(filter --target=%,$(firstword $(1))),\
	$(firstword $(1)) $(call before_options,$(wordlist 2,$(words $(1)),$(1))))
options_of     = $(wordlist $(words one $(call before_options,$(1))),$(words $(1)),$(1))

# A Pi Zero or Pi 1 builds for itself, by any compiler: that of its own system has a C library for ARMv6.
ON_ARMV6   := $(filter armv6%,$(shell uname -m))
ifneq ($(ON_ARMV6),)
TOOLCHAIN    := $(TOOLCHAIN:armv6=gcc)
ARCHITECTURE := -march=armv6 -mfpu=vfp -mfloat-abi=hard
else
ARCHITECTURE := $(shell sh harness/setup/list.sh architecture $(or $(TOOLCHAIN),gcc))
endif
# What the shell would take apart is no command.
$(foreach v,CC HOSTCC,$(if $(filter command,$(firstword $(origin $(v)))),$(if $(strip $($(v))),\
	$(if $(findstring ',$($(v)))$(findstring ",$($(v))),$(error $(v)=$($(v)): a command without quotation marks)),\
	$(error $(v)= is empty: say a command, or for CC one of $(TOOLCHAINS)))))

OWN :=
ifneq ($(TOOLCHAIN),)
override CC := $(call command_of,$(TOOLCHAIN))
OBJCOPY     := $(call prefix_of,$(TOOLCHAIN))objcopy
$(if $(and $(CC),$(if $(findstring ",$(CC)$(OBJCOPY)),,whole)),,\
	$(error records/toolchains.csv: the line of $(TOOLCHAIN) is not like word,command,prefix,architecture))
else
# Of another command the prefix is in its name, if there are binary utilities of that prefix:
# 'ccache arm-none-linux-gnueabihf-gcc -mcpu=cortex-a9'.
OWN         := $(call options_of,$(CC))
override CC := $(strip $(call before_options,$(CC)))
GCC_NAME    := $(firstword $(filter %gcc,$(CC)))
OF_PREFIX   := $(if $(GCC_NAME),$(shell command -v '$(GCC_NAME:gcc=objcopy)' 2>/dev/null))
OBJCOPY     := $(if $(OF_PREFIX),$(GCC_NAME:gcc=objcopy),$(call prefix_of,gcc)objcopy)
endif
# What compiles otherwise than a file at a level into an object is not make's.
NO_OPTION := $(firstword $(filter -O% -flto% -c -E -S -o%,$(OWN)))
$(if $(NO_OPTION),$(error CC: $(NO_OPTION): say it without; the levels are those of LEVELS='O1 O2'))

# What was typed, for a command that waits for this one.
export RSALAB_TYPED := make $(strip $(MAKECMDGOALS) $(foreach v,CC V A B L,$(if $(filter command,$(firstword \
	$(origin $(v)))),$(v)=$($(v)))))

# The beginning of the names of objdump, nm and so on, for Python.
export RSALAB_BINUTILS := $(OBJCOPY:objcopy=)

# The system's Python measures, another where that is too old or not there yet; that of the virtual environment has
# the packages of tests and pages.
PYTHON := $(or $(shell sh harness/setup/python.sh -ISc 'import sys; print(sys.executable)' 2>/dev/null),\
	sh harness/setup/python.sh)
VENV   := .venv/bin/python

# What shows results builds nothing.
SHOWN  := $(firstword $(filter why predict scoreboard compare models,$(GOALS)))
$(if $(and $(SHOWN),$(filter CC,$(said_here))),\
	$(error CC=$(or $(TOOLCHAIN),$(CC)): make $(SHOWN) shows results that are there: M=qemu-clang14 shows clang's))
