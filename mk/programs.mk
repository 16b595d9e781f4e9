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

# $(1) folder, $(2) folder of the objects, $(3) what they depend on, $(4) options for C, $(5) for assembly.  EXTRA: more
# options for C of one kind of program.
EXTRA :=
define objects_rules
$(2)/%.o: $(1)/%.c $(3)
	$$(call compile,$(4) $$(EXTRA))
$(2)/%.o: $(1)/%.S $(3)
	$$(call compile,$(5))
endef
# $(1) folder, $(2) folder of the objects: their names.
objects  = $(patsubst $(1)/%,$(2)/%.o,$(basename $(wildcard $(1)/*.c $(1)/*.S)))
# $(1) width, $(2) build or build/host, where there is no assembly: the driver, always -O2.
driver   = $(filter-out $(if $(filter build/host,$(2)),%/abi.o),$(call objects,harness/driver,$(2)/harness/$(1)))
# $(1) folder, $(2) folder of the objects, $(3) build or build/host: what the driver is linked with.
parts    = $(if $(filter build/host build/gprof/%,$(3) $(2)),$(call objects,$(1),$(2)),$(2)/snapshot.o) \
	$(if $(and $(filter build/gprof/%,$(2)),$(wildcard $(1)/mont.S)),$(2)/stub.o)
vectors  = $(wildcard data/inputs/width-$(1)/vectors/*.txt)
sources  = $(wildcard $(1)/*.h) harness/snapshot.h $(call shape,$(1))
# What a check depends on besides the program and its vectors.
CHECKING := harness/check.py harness/elf.py harness/operands.py

# $(1) folder of the objects, $(2) build or build/host: the description of the compiler.
flags_of = $(if $(filter build/clang/%,$(1)),build/clang,$(2))/flags

# $(1) folder: the way from there to the root, as in the path of snapshot.h.  Debug information leaves it out.
upwards  = $(subst $(empty) ,,$(patsubst %,../,$(subst /, ,$(1))))
in_place = -ffile-prefix-map=$(1)/$(call upwards,$(1))=
# $(1) folder, $(2) level, $(3) folder of the objects, $(4) build or build/host, $(5) width: one program.
define program_rules
$(call objects_rules,$(1),$(3),$(call sources,$(1)) $(call flags_of,$(3),$(4)),\
	-$(2) -DWIDTH=$(5) $$(INCLUDE) $(call in_place,$(1)),-DWIDTH=$(5))
$(3)/rsa.s: $(1)/rsa.c $(call sources,$(1)) $(call flags_of,$(3),$(4))
	$(Q)mkdir -p $$(@D) && $$(filter-out -g,$$(COMPILE)) -$(2) -DWIDTH=$(5) $(WARN) $(HEADERS) \
		-S $$< -o $$(new) && $$(whole)
$(3)/snapshot.o: $(call objects,$(1),$(3))
	$$(join)
$(3)/rsa: $(call parts,$(1),$(3),$(4)) $(call driver,$(5),$(4))
	$$(link)
$(3)/check.ok: $(3)/rsa $(CHECKING) $(call vectors,$(5)) | $(4)/platform $(if $(filter build,$(4)),$(3)/rsa.s)
	$(Q)PLATFORM=$(4)/platform OWN='$$(OWN)' \
		COMPILE="$$(filter-out $$(MAPPED),$$(COMPILE)) -$(2) -DWIDTH=$(5) $(HEADERS)" \
		$(PYTHON) -m harness check $$< $(5) $(call vectors,$(5))
endef
# $(1) folder, $(2) level, $(3) what stands before both in the folder of the objects, $(4) build or build/host.
program = $(eval $(call program_rules,$(1),$(2),$(3)/$(1)/$(2),$(4),$(call width_of,$(1))))
# $(1) build or build/host.
drivers = $(foreach w,$(WIDTHS),$(eval $(call objects_rules,harness/driver,$(1)/harness/$(w),$(wildcard \
	harness/driver/*.h) harness/snapshot.h $(1)/flags,-O2 -DWIDTH=$(w) $$(INCLUDE),)))
$(call drivers,build)
$(foreach s,$(SNAPSHOTS),$(foreach l,$(BUILT),$(call program,$(s),$(l),build,build)))
build/harness/% build/studies/width-1024/driver/%: private sectioned = $(call to_section,harness_text,$(1))

# --- constant time, gprof, this machine: the other kinds of program ---

# What promises constant time is compiled by clang, too, where there is one.  It compiles for ARMv7.
CLANG    := $(if $(FOR_ARMV6),,$(if $(shell command -v clang 2>/dev/null),$(call command_of,clang)))
PROMISED := $(patsubst %/step.toml,%,$(shell \
	grep -ls "^constant-time *= *true" iterations/*/step.toml studies/*/*/step.toml))
BY_CLANG := $(if $(CLANG),$(foreach s,$(PROMISED),$(foreach l,$(LEVELS),build/clang/$(s)/$(l)/check.ok)))
TRACED    = $(call checked,$(SNAPSHOTS)) $(BY_CLANG) build/trace.so
CLANG_CODE = $(ARCH) $(call decided,CLANG)
build/clang/%: private COMPILE = $(CLANG) $(CLANG_CODE) $(MAPPED)
build/clang/flags: FORCE | setup
	$(Q)$(call describe,$(CLANG),$(CLANG_CODE),$(WARN) $(LDFLAGS))
	$(Q)$(settle)
$(foreach s,$(PROMISED),$(foreach l,$(LEVELS),$(call program,$(s),$(l),build/clang,build)))

# Programs whose calls are counted (-pg), for gprof alone: the ladder, and the studies of another width, each the
# ladder of a source.  Where the front matter of a study says `gprof: not static`, the source's functions are not
# static, which decides what -O1 inlines.  Assembly counts nothing: its functions get another name, and a stub in C
# calls them.
OTHER_WIDTH := $(foreach s,$(wildcard studies/*),$(if $(filter-out 128,$(call stated,$(s))),$(s)))
PROFILE  := $(ITERATIONS) $(filter $(addsuffix /%,$(OTHER_WIDTH)),$(STUDIES))
NOT_STATIC := $(patsubst %/README.md,%,$(shell grep -ls '^gprof: *not static' studies/*/README.md))
PROFILED := $(foreach s,$(PROFILE),$(foreach l,$(LEVELS),build/gprof/$(s)/$(l)/rsa))
build/gprof/%: private EXTRA = -pg
build/gprof/%: private LINK = $(CC) $(LDFLAGS) -pg
$(addprefix build/gprof/,$(addsuffix /%,$(NOT_STATIC))): private EXTRA = -pg -Dstatic= -Wno-missing-prototypes
build/gprof/%/mont.o: private sectioned = $(OBJCOPY) --redefine-sym mont_mul=mont_mul_assembly \
	--redefine-sym mod_exp=mod_exp_assembly $(1)
build/gprof/%/stub.o: harness/stub.c harness/snapshot.h build/flags
	$(call compile,-$(notdir $*) -DWIDTH=$(call width_of,$(patsubst %/,%,$(dir $*))) $(INCLUDE) -pg \
		$(if $(shell grep '^ *\.global  *mod_exp' $(dir $*)mont.S),-DMOD_EXP))
$(if $(filter gprof reference build/gprof/%,$(MAKECMDGOALS)),$(foreach s,$(PROFILE),$(foreach l,$(LEVELS),\
	$(call program,$(s),$(l),build/gprof,build))))

# Built for this machine itself, to be timed.  NEON is SIMDe's where it is installed.
SIMDE    := $(wildcard /usr/include/simde/arm/neon.h)
NOT_HERE := $(dir $(wildcard iterations/*/*.S studies/*/*/*.S) \
	$(shell grep -ls $(if $(SIMDE),,-e arm_neon.h) -e __asm__ iterations/*/*.[ch] studies/*/*/*.[ch]))
HOST_ALL := $(filter-out $(NOT_HERE:%/=%),$(SNAPSHOTS))
HOST_OWN := $(call options_of,$(HOSTCC))
override HOSTCC := $(strip $(call before_options,$(HOSTCC)))
HOST_CODE = -std=c11 -g $(call decided,HOSTCC) $(HOST_OWN)
HOST_CC   = $(HOSTCC) $(HOST_CODE) $(MAPPED) -Iharness/host
build/host/%: private COMPILE = $(HOST_CC)
build/host/%: private LINK = $(HOST_CC) -static
build/host/flags: FORCE | setup
	$(Q)$(call describe,$(HOSTCC),$(HOST_CODE),$(WARN) -static) && echo '$(SIMDE)' >>$(new)
	$(Q)$(settle)
build/host/platform: harness/target.py harness/compiler.py build/host/flags
	$(Q)$(call named_by,$(HOSTCC),$(HOST_CODE) $(WARN),-std=c11 -g $(call decided,HOSTCC) $(USUAL_WARN)) \
		target-host >$(new) && $(whole)
$(if $(filter host duel lab grade build/host/%,$(MAKECMDGOALS)),$(call drivers,build/host)$(foreach s,$(HOST_ALL),\
	$(foreach l,$(BUILT),$(call program,$(s),$(l),build/host,build/host))))

# --- libraries and programs of this machine ---

fuzz/%: ; @sh harness/setup/setup.sh fuzz
	$(Q)sh verification/fuzz.sh $* $(call width_of,$*) "$$RUNS"
# $(1) library or program for this machine, $(2) its files in C and their headers.
define library_rules
build/$(1): $(2) build/flags
	$(Q)echo '  HOSTCC  $$@' && $(HOSTCC) -std=c11 -O2 $(if $(filter %.so,$(1)),-fPIC -shared) -Iharness/plugin \
		$(WARN) -o $$(new) $(filter %.c,$(2)) -ldl && $$(whole)
endef
# count.so is the counter that qemu-arm loads, unicorn the other one; trace.so hashes what Unicorn executes, for
# constant time; operation.so counts what one operation of OpenSSL or of a peer takes.
DECODER := $(addprefix harness/plugin/,a32.c a32.h)
PLUGGED := $(wildcard harness/plugin/*.[ch])
$(eval $(call library_rules,count.so,$(filter-out %/unicorn.c %/tally.c %/tally.h,$(PLUGGED))))
NOT_UNICORN := %/count.c $(addprefix %/,flow.c flow.h route.c route.h) %/qemu_plugin.h
$(eval $(call library_rules,unicorn,$(filter-out $(NOT_UNICORN),$(PLUGGED))))
$(eval $(call library_rules,trace.so,harness/trace.c harness/plugin/qemu_plugin.h))
$(eval $(call library_rules,operation.so,studies/openssl/operation.c $(DECODER) harness/plugin/qemu_plugin.h))

# The counter proves itself on a program of known counts before every collection.
build/selftest: harness/plugin/selftest.S build/flags
	$(Q)$(COMPILE) $(LDFLAGS) -nostdlib $< -o $(new) && $(whole)
# Which of the two counts here, asked again where Unicorn counts and the virtual environment is gone.
LOST := $(and $(filter unicorn,$(file <build/counter)),$(if $(wildcard .venv/stamp),,yes))
build/counter: build/count.so build/unicorn build/platform $(if $(LOST),FORCE)
	$(Q)sh harness/setup/counter.sh >$(new) && $(whole)

# --- studies with a contract of their own ---

# The study of long numbers has a contract of its own, its nat.h, and a driver of its own.
LONG       := studies/width-1024
LONG_RUN   := $(PYTHON) -m studies.width-1024.long
LONG_READY := $(foreach k,assembly plain,$(foreach l,O1 O3,build/$(LONG)/$(k)/$(l)/check.ok))
$(eval $(call objects_rules,$(LONG)/driver,build/$(LONG)/driver,$(wildcard $(LONG)/driver/*.h) $(LONG)/nat.h \
	build/flags,-O2 $$(WARN) -I$(LONG),))
$(eval $(call objects_rules,harness/driver,build/$(LONG)/driver,build/flags,,))
# $(1) assembly or plain, $(2) level, $(3) folder of the objects.
define long_rules
$(call objects_rules,$(LONG),$(3),$(LONG)/nat.h build/flags,-$(2) $$(WARN),)
$(call objects_rules,$(LONG)/$(1),$(3),$(LONG)/nat.h $(wildcard $(LONG)/$(1)/*.inc) build/flags,-$(2) $$(WARN),)
$(3)/snapshot.o: $(call objects,$(LONG),$(3)) $(call objects,$(LONG)/$(1),$(3))
	$$(join)
$(3)/long: $(3)/snapshot.o $(call objects,$(LONG)/driver,build/$(LONG)/driver) build/$(LONG)/driver/abi.o
	$$(link)
$(3)/check.ok: $(3)/long $(wildcard $(LONG)/*.py data/inputs/rsa-keys/*.txt) $(CHECKING) | build/platform
	$(Q)COMPILE="$$(CC) -I$(LONG)" $(LONG_RUN) check $$< $$@
endef
$(foreach k,assembly plain,$(foreach l,O1 O3,$(eval $(call long_rules,$(k),$(l),build/$(LONG)/$(k)/$(l)))))

# Pairs of long numbers in two lanes; Unicorn calls them, too.
LANES       := $(LONG)/lanes
LANES_STEPS := $(patsubst %,build/$(LANES)/O3/%,one-lane two-lanes blocks signed square)
PRIVATE     := $(foreach l,$(MEASURED),build/$(LANES)/$(l)/private)
PRIVATE_OF  := $(addprefix $(LANES)/,called.c digits.c exponent.c private.c choose.S forget.S square.S square-long.S) \
	$(LONG)/montgomery.c $(LONG)/karatsuba.c $(wildcard $(LONG)/assembly/*.S)
LANES_NEED  := $(wildcard $(LANES)/*.[hS] $(LANES)/*.inc $(LONG)/assembly/*.inc) $(LONG)/nat.h build/flags
build/$(LANES)/O3/square: $(LANES)/square.S $(LANES)/square-long.S $(LANES_NEED) | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -nostdlib -Wl,-e,0 $(filter %/square.S %/square-long.S,$^) -o $(new)
	$(Q)$(whole)
build/$(LANES)/O3/%: $(LANES)/%.S $(LANES_NEED) | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -nostdlib -Wl,-e,pair_mul $< -o $(new) && $(whole)
build/$(LANES)/O3/%: $(LANES)/%.c $(LANES_NEED) | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) -O3 $(WARN) $(LDFLAGS) -nostdlib -Wl,-e,pair_mul $< -lgcc -o $(new) && $(whole)
$(PRIVATE): build/$(LANES)/%/private: $(PRIVATE_OF) $(LANES_NEED) | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) -$* $(WARN) $(LDFLAGS) $(PRIVATE_OF) -o $(new) && $(whole)

# The private operation by CRT has a contract of its own, too, crt.h, and no driver: Unicorn calls it.
CRT := build/studies/limit/crt/crt
$(CRT): studies/limit/crt/crt.S build/flags | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -nostdlib -Wl,-e,private_crt $< -o $(new) && $(whole)

# v8's product and the same instructions in another order.
ORDERED := build/iterations/v8/O1/rsa build/studies/alone/ordered/O1/rsa
