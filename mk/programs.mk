# How a snapshot becomes a program, and the program a checked one.
#
# Four kinds of program: build/ (measured), build/clang/, build/gprof/ (-pg), build/host/ (this machine's own).
# One is made again when a file is younger, its list of files, its width, compiler or flags are others.

# --- the commands ---

# Language and architecture; warnings; how programs are linked: a program needs no other file, and its sections have
# memory pages of their own.
USUAL_ARCH    := -std=c11 -g -marm $(filter-out $(if $(filter -mcpu=%,$(OWN)),-march=%),$(ARCHITECTURE))
USUAL_WARN    := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror
USUAL_LDFLAGS := -static -Wl,-z,max-page-size=65536 -Wl,-z,separate-code -Wl,-z,noexecstack
ARCH     := $(USUAL_ARCH)
WARN     := $(USUAL_WARN)
LDFLAGS  := $(USUAL_LDFLAGS)
HOSTCC   := gcc
# What distributions decide differently is stated, as far as a compiler knows it.  It is asked once, when a recipe
# needs the answer: before, it may not be installed.  $(1) CC, CLANG or HOSTCC.
decided   = $(strip $(if $(filter undefined,$(origin DECIDED_$(1))),\
	$(eval DECIDED_$(1) := $(shell sh harness/setup/stated.sh $($(1)))))$(DECIDED_$(1)))
# Debug information has paths from the root of the repository: equal sources make equal programs anywhere.
MAPPED   := -ffile-prefix-map="$$PWD"=.
# What decides code, a reader's own options last.
CODE      = $(ARCH) $(call decided,CC) $(OWN)
COMPILE   = $(CC) $(CODE) $(MAPPED)
LINK      = $(CC) $(LDFLAGS) $(OWN)

# snapshot.h is found by the path from a snapshot's folder; from a copy that stands two or three folders below the root
# by way of the folders that the last two name, which have no header that a snapshot may include.
HEADERS  := -Iharness -Iharness/driver -Idata/inputs/width-128
INCLUDE   = $(WARN) $(HEADERS)

# A file gets its name when it is whole, so that several makes may be at work here.
new    = $@.$$PPID.new
whole  = mv $(new) $@
# Only a change of what it says makes a description newer, and nobody who builds by it is at work then.
settle = sh harness/setup/settle.sh $(new) $@ $$PPID

# Code of the snapshot and of the harness in sections of their own, so that counters can tell them apart.
# $(1) section, $(2) object.
to_section = $(OBJCOPY) $(foreach s,.text .text.unlikely .text.startup,--rename-section $(s)=$(1)) $(2)
sectioned  = :
# A source as an object, $(1) options; objects of a snapshot as one; objects as a program.  The compiler says in a .d
# beside the object which files it has read; the contract is checked with it.
read       = $(@:.o=.d)
compile    = $(Q)echo '  CC      $@' && mkdir -p $(@D) && \
	$(COMPILE) $(1) -MD -MF $(read).$$PPID.new -c $< -o $(new) && \
	$(call sectioned,$(new)) && mv $(read).$$PPID.new $(read) && $(whole)
join       = $(Q)$(CC) $(OWN) -nostdlib -r -Wl,--build-id=none $^ -o $(new) && \
	$(call to_section,snapshot_text,$(new)) && $(whole)
link       = $(Q)echo '  LD      $@' && $(LINK) $^ -o $(new) && $(whole)

# --- the compiler and the machine, as files ---

.PHONY: setup FORCE
setup: ; $(Q)sh harness/setup/writable.sh && RSALAB_COMPILER='$(CC)' sh harness/setup/setup.sh build $(TOOLCHAIN)

# What decides a program: the compiler, its options, and what it says of itself.
# $(1) compiler, $(2) options that decide code, $(3) the others.
describe = mkdir -p $(@D) && { $(1) --version | head -n 1; echo '$(strip $(2) $(MAPPED) $(3))'; \
	sh harness/setup/compiler.sh '$(1)' $(2); } >$(new)
build/flags: FORCE | setup
	$(Q)$(call describe,$(CC),$(CODE),$(WARN) $(LDFLAGS))
	$(Q)$(settle)

# The platform: how an ARM program runs here, directly or under qemu-arm, and its compiler.  Asked again when setup.sh
# has found other tools.  $(1) compiler, $(2) options, $(3) those that are usual.
USUAL    = $(USUAL_ARCH) $(call decided,CC) $(USUAL_WARN) $(USUAL_LDFLAGS)
named_by = COMPILER='$(1)' OPTIONS='$(2)' USUAL='$(3)' $(PYTHON) -m harness
build/setup.build: | setup
build/platform: harness/target.py harness/compiler.py harness/probe.c build/flags build/setup.build
	$(Q)$(call named_by,$(CC),$(CODE) $(WARN) $(LDFLAGS),$(USUAL)) target >$(new) && $(whole)

# --- what there is: rungs, studies, exercises ---

STRANGE := $(shell ls iterations/*/rsa.c studies/*/*/rsa.c 2>&- | LC_ALL=C grep -v '^[A-Za-z0-9._/-]*$$' | head -n 1)
$(if $(STRANGE),$(error $(STRANGE): a name with other characters than A-Z, a-z, 0-9, '.', '_' and '-'; rename it))
ITERATIONS := $(patsubst %/rsa.c,%,$(wildcard iterations/*/rsa.c))
STUDIES    := $(patsubst %/rsa.c,%,$(wildcard studies/*/*/rsa.c))
# For ARMv6 what says in its source that it needs ARMv7 is left out: by its NEON in C, by its .arch in assembly.
FOR_ARMV6  := $(findstring -march=armv6,$(ARCH))
NEED_ARMV7  = $(shell grep -ls -e arm_neon.h -e '\.arch  *armv7' iterations/*/*.[chS] studies/*/*/*.[chS] | \
	sed 's,/[^/]*$$,,')
LEFT_OUT   := $(if $(FOR_ARMV6),$(filter $(NEED_ARMV7),$(ITERATIONS) $(STUDIES)))
ITERATIONS := $(filter-out $(LEFT_OUT),$(ITERATIONS))
STUDIES    := $(filter-out $(LEFT_OUT),$(STUDIES))
SNAPSHOTS  := $(ITERATIONS) $(STUDIES)
RUNGS      := $(notdir $(ITERATIONS))
LABS       := $(patsubst %/README.md,%,$(wildcard labs/*/README.md))

# A snapshot's width is its own README's, else the study's.  FOLDER=WIDTH for each README that has one.
STATED  := $(shell grep -s '^width: *[0-9]' iterations/*/README.md studies/*/README.md studies/*/*/README.md \
	labs/*/README.md /dev/null | sed 's,/README.md:width: *\([0-9]*\).*,=\1,')
stated   = $(patsubst $(1)=%,%,$(firstword $(filter $(1)=%,$(STATED))))
width_of = $(or $(call stated,$(1)),$(call stated,$(patsubst %/,%,$(dir $(1)))),128)
OTHER   := $(subst =,/README.md: width: ,$(firstword $(filter-out %=128,$(filter iterations/%,$(STATED)))))
$(if $(OTHER),$(error $(OTHER): a rung has 128 bits; another width is a study))
# An exercise may have variants of other widths.
OTHER_WIDTHS := $(patsubst variants:,,$(shell grep -hs '^variants: ' labs/*/README.md))
WIDTHS  := $(sort $(foreach s,$(SNAPSHOTS) $(LABS),$(call width_of,$(s))) $(OTHER_WIDTHS))

# The name of this file says a folder's width and the names of its sources.
empty   :=
names    = $(subst $(empty) ,,$(subst .,-,$(patsubst $(1)/%,_%,$(wildcard $(1)/*.[cS]))))
shape    = build/shape/$(1)/$(call width_of,$(1))$(call names,$(1))
$(foreach s,$(SNAPSHOTS),$(call shape,$(s))):
	$(Q)mkdir -p $(@D) && rm -f $(@D)/* && : >$@

# --- from sources to a checked program ---
#
# The program of iterations/v8 at -O1 is made in build/iterations/v8/O1/, those of the other kinds in
# build/clang/iterations/v8/O1/, build/gprof/... and build/host/...: that is the place of a program.

# What promises constant time is compiled by clang, too, where there is one.  It compiles for ARMv7.
CLANG    := $(if $(FOR_ARMV6),,$(if $(shell command -v clang 2>/dev/null),$(call command_of,clang)))
PROMISED := $(patsubst %/step.toml,%,$(shell \
	grep -ls "^constant-time *= *true" iterations/*/step.toml studies/*/*/step.toml))

# gprof's programs count calls (-pg): the ladder, and the studies of another width, each the ladder of a source.  Where
# the front matter of a study says `gprof: not static`, the source's functions are not static, which decides what -O1
# inlines.
OTHER_WIDTH := $(foreach s,$(wildcard studies/*),$(if $(filter-out 128,$(call stated,$(s))),$(s)))
PROFILE     := $(ITERATIONS) $(filter $(addsuffix /%,$(OTHER_WIDTH)),$(STUDIES))
NOT_STATIC  := $(patsubst %/README.md,%,$(shell grep -ls '^gprof: *not static' studies/*/README.md))

# This machine's own programs are timed.  NEON is SIMDe's where it is installed.
SIMDE    := $(wildcard /usr/include/simde/arm/neon.h)
NOT_HERE := $(dir $(wildcard iterations/*/*.S studies/*/*/*.S) \
	$(shell grep -ls $(if $(SIMDE),,-e arm_neon.h) -e __asm__ iterations/*/*.[ch] studies/*/*/*.[ch]))
HOST_ALL := $(filter-out $(NOT_HERE:%/=%),$(SNAPSHOTS))

# $(1) build or the folder of a kind, $(2) snapshots, $(3) levels: the places of their programs.
places   = $(foreach folder,$(2),$(3:%=$(1)/$(folder)/%))
BY_CLANG := $(if $(CLANG),$(call places,build/clang,$(PROMISED),$(LEVELS)))
BY_GPROF := $(call places,build/gprof,$(PROFILE),$(LEVELS))
BY_HOST  := $(call places,build/host,$(HOST_ALL),$(BUILT))
PROFILED := $(BY_GPROF:%=%/rsa)
TRACED    = $(call checked,$(SNAPSHOTS)) $(BY_CLANG:%=%/check.ok) build/trace.so
# The rules of the last two kinds are read where a command needs them.
PLACES   := $(call places,build,$(SNAPSHOTS),$(BUILT)) $(BY_CLANG) \
	$(if $(filter gprof reference build/gprof/%,$(MAKECMDGOALS)),$(BY_GPROF)) \
	$(if $(filter host duel lab grade build/host/%,$(MAKECMDGOALS)),$(BY_HOST))

# $(1) a place: its snapshot, and the objects of that, those of C first.
snapshot_of = $(patsubst build/%/,%,$(dir $(patsubst build/clang/%,build/%,$(patsubst build/gprof/%,build/%,\
	$(patsubst build/host/%,build/%,$(1))))))
objects_of  = $(patsubst %,$(1)/%.o,$(basename $(notdir $(call files_of,$(call snapshot_of,$(1))))))
files_of    = $(wildcard $(1)/*.c $(1)/*.S)

# Of the target of a rule: its snapshot, its source, how many bits it is made for.
snapshot = $(call snapshot_of,$(@D))
source   = $(wildcard $(snapshot)/$(basename $(@F)).[cS])
width    = $(call width_of,$(snapshot))
# What describes the compiler, where the driver is, what a program is linked from, where it runs, and what a check
# needs besides.
described = build/flags
driven    = build/harness
parts     = $(@D)/snapshot.o
platform  = build/platform
assembly  = $(@D)/rsa.s
# Those of clang.
build/clang/%: private COMPILE   = $(CLANG) $(CLANG_CODE) $(MAPPED)
build/clang/%: private described = build/clang/flags
# Those of gprof.  Assembly counts nothing: its functions get another name, and a stub in C calls them.
build/gprof/%: private EXTRA = -pg
build/gprof/%: private LINK  = $(CC) $(LDFLAGS) -pg
build/gprof/%: private parts = $(call objects_of,$(@D)) $(if $(wildcard $(snapshot)/mont.S),$(@D)/stub.o)
$(addprefix build/gprof/,$(addsuffix /%,$(NOT_STATIC))): private EXTRA = -pg -Dstatic= -Wno-missing-prototypes
build/gprof/%/mont.o: private sectioned = $(OBJCOPY) --redefine-sym mont_mul=mont_mul_assembly \
	--redefine-sym mod_exp=mod_exp_assembly $(1)
# Those of this machine.
build/host/%: private COMPILE   = $(HOST_CC)
build/host/%: private LINK      = $(HOST_CC) -static
build/host/%: private described = build/host/flags
build/host/%: private driven    = build/host/harness
build/host/%: private parts     = $(call objects_of,$(@D))
build/host/%: private platform  = build/host/platform
build/host/%: private assembly  =

# $(1) a snapshot: the way from there to the root, as in the path of snapshot.h.  Debug information leaves it out.
upwards  = $(subst $(empty) ,,$(patsubst %,../,$(subst /, ,$(1))))
in_place = -ffile-prefix-map=$(1)/$(call upwards,$(1))=
vectors  = $(wildcard data/inputs/width-$(width)/vectors/*.txt)
# What a check depends on besides the program and its vectors.
CHECKING := harness/check.py harness/elf.py harness/operands.py
# More options for C of one kind of program; options for C at the level of the place.
EXTRA :=
in_c   = -$(notdir $(@D)) -DWIDTH=$(width) $(INCLUDE) $(call in_place,$(snapshot)) $(EXTRA)

# In what a file is made from, $$(snapshot) and the others are those of that file.
.SECONDEXPANSION:
sources = $(source) $(wildcard $(snapshot)/*.h) harness/snapshot.h $(call shape,$(snapshot)) $(described)
$(foreach place,$(PLACES),$(call objects_of,$(place))): $$(sources)
	$(call compile,$(if $(filter %.c,$<),$(in_c),-DWIDTH=$(width)))
$(PLACES:%=%/rsa.s): $$(sources)
	$(Q)mkdir -p $(@D) && $(filter-out -g,$(COMPILE)) -$(notdir $(@D)) -DWIDTH=$(width) $(WARN) $(HEADERS) -S $< \
		-o $(new) && $(whole)
$(PLACES:%=%/snapshot.o): $$(call objects_of,$$(@D))
	$(join)
$(PLACES:%=%/rsa): $$(parts) $$(call driver,$$(driven)/$$(width))
	$(link)
$(PLACES:%=%/check.ok): $$(@D)/rsa $(CHECKING) $$(vectors) | $$(platform) $$(assembly)
	$(Q)PLATFORM=$(platform) OWN='$(OWN)' \
		COMPILE="$(filter-out $(MAPPED),$(COMPILE)) -$(notdir $(@D)) -DWIDTH=$(width) $(HEADERS)" \
		$(PYTHON) -m harness check $< $(width) $(vectors)
build/gprof/%/stub.o: harness/stub.c harness/snapshot.h build/flags
	$(call compile,-$(notdir $*) -DWIDTH=$(width) $(INCLUDE) -pg \
		$(if $(shell grep '^ *\.global  *mod_exp' $(snapshot)/mont.S),-DMOD_EXP))

# The driver, always -O2.  $(1) its place: build/harness/128, or build/host/harness/128, where it has no assembly.
driver  = $(patsubst %,$(1)/%.o,$(filter-out $(if $(filter build/host/%,$(1)),abi),\
	$(basename $(notdir $(call files_of,harness/driver)))))
DRIVERS := $(foreach width,$(WIDTHS),$(call driver,build/harness/$(width)) $(call driver,build/host/harness/$(width)))
$(DRIVERS): $$(wildcard harness/driver/$$(basename $$(@F)).[cS] harness/driver/*.h) harness/snapshot.h $$(described)
	$(call compile,$(if $(filter %.c,$<),-O2 -DWIDTH=$(notdir $(@D)) $(INCLUDE)))
build/harness/%: private sectioned = $(call to_section,harness_text,$(1))

# --- the compilers of the other kinds ---

CLANG_CODE = $(ARCH) $(call decided,CLANG)
build/clang/flags: FORCE | setup
	$(Q)$(call describe,$(CLANG),$(CLANG_CODE),$(WARN) $(LDFLAGS))
	$(Q)$(settle)

HOST_OWN := $(call options_of,$(HOSTCC))
override HOSTCC := $(strip $(call before_options,$(HOSTCC)))
HOST_CODE = -std=c11 -g $(call decided,HOSTCC) $(HOST_OWN)
HOST_CC   = $(HOSTCC) $(HOST_CODE) $(MAPPED) -Iharness/host
build/host/flags: FORCE | setup
	$(Q)$(call describe,$(HOSTCC),$(HOST_CODE),$(WARN) -static) && echo '$(SIMDE)' >>$(new)
	$(Q)$(settle)
build/host/platform: harness/target.py harness/compiler.py build/host/flags
	$(Q)$(call named_by,$(HOSTCC),$(HOST_CODE) $(WARN),-std=c11 -g $(call decided,HOSTCC) $(USUAL_WARN)) \
		target-host >$(new) && $(whole)

# --- libraries and programs of this machine ---

fuzz/%: ; @sh harness/setup/setup.sh fuzz
	$(Q)sh verification/fuzz.sh $* $(call width_of,$*) "$$RUNS"
# count.so is the counter that qemu-arm loads, unicorn the other one; trace.so hashes what Unicorn executes, for
# constant time; operation.so counts what one operation of OpenSSL or of a peer takes.
DECODER := $(addprefix harness/plugin/,a32.c a32.h)
PLUGGED := $(wildcard harness/plugin/*.[ch])
build/count.so: $(filter-out %/unicorn.c %/tally.c %/tally.h,$(PLUGGED))
build/unicorn: $(filter-out %/count.c %/flow.c %/flow.h %/route.c %/route.h %/qemu_plugin.h,$(PLUGGED))
build/trace.so: harness/trace.c harness/plugin/qemu_plugin.h
build/operation.so: studies/openssl/operation.c $(DECODER) harness/plugin/qemu_plugin.h
build/count.so build/unicorn build/trace.so build/operation.so: build/flags
	$(Q)echo '  HOSTCC  $@' && $(HOSTCC) -std=c11 -O2 $(if $(filter %.so,$@),-fPIC -shared) -Iharness/plugin \
		$(WARN) -o $(new) $(filter %.c,$^) -ldl && $(whole)

# The counter proves itself on a program of known counts before every collection.
build/selftest: harness/plugin/selftest.S build/flags
	$(Q)$(COMPILE) $(LDFLAGS) -nostdlib $< -o $(new) && $(whole)
# Which of the two counts here, asked again where Unicorn counts and the virtual environment is gone.
LOST := $(and $(filter unicorn,$(file <build/counter)),$(if $(wildcard .venv/stamp),,yes))
build/counter: build/count.so build/unicorn build/platform $(if $(LOST),FORCE)
	$(Q)sh harness/setup/counter.sh >$(new) && $(whole)
