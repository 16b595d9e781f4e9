# How a snapshot becomes a checked program.

CC       := arm-linux-gnueabihf-gcc
OBJCOPY  := arm-linux-gnueabihf-objcopy
ARCH     := -std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard
WARN     := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror
LDFLAGS  := -static -Wl,-z,max-page-size=65536 -Wl,-z,separate-code -Wl,-z,noexecstack
HOSTCC   := gcc
HARNESS  := $(wildcard harness/driver/*.c)
DRIVER   := harness/snapshot.h $(wildcard harness/driver/*.[chS])

# Equal sources make equal programs in any folder: debug information has paths from the root of the
# repository, not from the root of the disk.
MAPPED  := -ffile-prefix-map="$$PWD"=.
COMPILE := $(CC) $(ARCH) $(MAPPED)
INCLUDE := $(WARN) -Iharness

# Code of the snapshot and of the harness go into sections of their own, so that the counter can tell
# them apart by address.
to_section = $(OBJCOPY) $(foreach s,.text .text.unlikely .text.startup,--rename-section $(s)=$(1)) $(new)

# The compiler says in a .d beside the object which files it has read; harness/check.py looks.
read_by = $(@:.o=.d)
reading = -MD -MF $(read_by)

# A file gets its name when it is whole: a make that is killed, or a second one, spoils nothing.
new    = $@.$$PPID.new
whole  = mv $(new) $@
# Only a change of what it says makes a file newer.
settle = if cmp -s $(new) $@; then rm $(new); else $(whole); fi

# Only one stamp of a file is left, so that earlier contents that come back are a change, too.
$(call stamps,$(HASHED)) $(foreach s,$(SNAPSHOTS),$(call width_stamp,$(s))): | setup
	$(Q)mkdir -p $(@D) && rm -f $(basename $@).* && : >$@

.PHONY: setup FORCE
FORCE: ;
setup:
	$(Q)harness/setup/writable.sh && harness/setup/setup.sh build

# A change of compiler or flags rebuilds everything, and nothing else ever does.
build/flags: FORCE | setup
	$(Q){ $(CC) --version | head -n 1; echo '$(ARCH) $(MAPPED) $(WARN) $(LDFLAGS)'; } >$(new)
	$(Q)$(settle)

# How an ARM program runs here: directly, or under qemu-arm.  Asked again when setup.sh has found
# another set of tools, or another machine, than before (build/setup.build).
build/setup.build: | setup
build/platform.asked: harness/target.py build/flags build/setup.build $(if $(wildcard build/platform),,FORCE)
	$(Q)$(PYTHON) -m harness.target $(CC) $(ARCH) $(LDFLAGS) >$(new)
	$(Q)cmp -s $(new) build/platform || cp $(new) build/platform
	$(Q)$(whole)
build/platform: build/platform.asked ;

# $(1) width: the harness, always -O2.
define harness_rules
build/harness/$(1)/%.o: $(call stamps,$(DRIVER)) build/flags | harness/driver/%.c
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$$(COMPILE) -O2 -DWIDTH=$(1) $(INCLUDE) -c $$| -o $$(new)
	$(Q)$$(call to_section,harness_text) && $$(whole)
build/harness/$(1)/%.o: $(call stamps,$(DRIVER)) build/flags | harness/driver/%.S
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$$(COMPILE) -c $$| -o $$(new)
	$(Q)$$(call to_section,harness_text) && $$(whole)
endef
$(foreach w,$(WIDTHS),$(eval $(call harness_rules,$(w))))

# $(1) folder, $(2) what stands before its objects.
objects = $(patsubst $(1)/%,$(2)/%.o,$(basename $(wildcard $(1)/*.c $(1)/*.S)))
# $(1) width, $(2) build or build/host, where there is no assembly.
driver  = $(patsubst harness/driver/%,$(2)/harness/$(1)/%.o,$(basename $(HARNESS) \
	$(if $(filter build,$(2)),$(wildcard harness/driver/*.S))))
# $(1) width.
vectors = $(wildcard data/inputs/width-$(1)/vectors/*.txt)

# $(1) folder, $(2) width, $(3) stamps of its files, $(4) folder of the objects, $(5) level: one
# program, its assembly, its check.
define snapshot_rules
$(4)/%.o: $(3) build/flags | $(1)/%.c
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$$(COMPILE) -$(5) -DWIDTH=$(2) $(INCLUDE) $$(reading) -c $$| -o $$(new) && $$(whole)
$(4)/%.o: $(3) build/flags | $(1)/%.S
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$$(COMPILE) -DWIDTH=$(2) $$(reading) -c $$| -o $$(new) && $$(whole)
$(4)/rsa.s: $(3) build/flags | $(1)/rsa.c
	@mkdir -p $$(@D)
	$(Q)$$(filter-out -g,$$(COMPILE)) -$(5) -DWIDTH=$(2) $(INCLUDE) -S $$| -o $$(new) && $$(whole)
$(4)/snapshot.o: $(call objects,$(1),$(4))
	$(Q)$(CC) -nostdlib -r $$^ -o $$(new)
	$(Q)$$(call to_section,snapshot_text) && $$(whole)
$(4)/rsa: $(4)/snapshot.o $(call driver,$(2),build)
	@echo '  LD      $$@'
	$(Q)$(CC) $(LDFLAGS) $$^ -o $$(new) && $$(whole)
$(4)/check.ok: $(4)/rsa build/platform $(call stamps,$(CHECKING) $(call vectors,$(2))) | $(4)/rsa.s
	$(Q)$(PYTHON) -m harness.check $$< $(2) $(call vectors,$(2))
endef
CHECKING := harness/check.py harness/elf.py harness/operands.py
sources = $(call stamps,$(wildcard $(1)/*.[chS]) harness/snapshot.h) $(call width_stamp,$(1))
rules   = $(call snapshot_rules,$(1),$(call width_of,$(1)),$(call sources,$(1)),build/$(1)/$(2),$(2))
$(foreach s,$(SNAPSHOTS),$(foreach l,$(BUILT),$(eval $(call rules,$(s),$(l)))))
