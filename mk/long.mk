# The study of long numbers: studies/width-1024, whose contract is its own nat.h.

LONG        := studies/width-1024
LONG_RUN    := PYTHONPATH=. $(PYTHON) $(LONG)/long.py
LONG_KINDS  := assembly plain
LONG_LEVELS := O1 O3
LONG_KEYS   := data/inputs/rsa-keys/*.txt
LONG_FILES  := $(wildcard $(LONG)/*.[ch])
LONG_DRIVER := $(wildcard $(LONG)/driver/*.[ch]) $(LONG)/nat.h harness/driver/abi.S
LONG_OBJECTS := $(patsubst %.c,build/%.o,$(wildcard $(LONG)/driver/*.c)) build/$(LONG)/driver/abi.o
LONG_OUT    := $(foreach k,$(LONG_KINDS),$(foreach l,$(LONG_LEVELS),build/$(LONG)/$(k)/$(l)))

build/$(LONG)/driver/%.o: $(call stamps,$(LONG_DRIVER)) build/flags | $(LONG)/driver/%.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	$(Q)$(COMPILE) -O2 $(WARN) -I$(LONG) -c $| -o $(new)
	$(Q)$(call to_section,harness_text) && $(whole)
build/$(LONG)/driver/abi.o: $(call stamps,$(LONG_DRIVER)) build/flags | harness/driver/abi.S
	@mkdir -p $(@D)
	@echo '  AS      $@'
	$(Q)$(COMPILE) -c $| -o $(new)
	$(Q)$(call to_section,harness_text) && $(whole)

# $(1) assembly or plain, $(2) level, $(3) folder of the objects.
define long_rules
$(3)/%.o: $(call stamps,$(LONG_FILES)) build/flags | $(LONG)/%.c
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$$(COMPILE) -$(2) $(WARN) -c $$| -o $$(new) && $$(whole)
$(3)/%.o: $(call stamps,$(LONG)/nat.h $(wildcard $(LONG)/$(1)/*.c)) build/flags | $(LONG)/$(1)/%.c
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$$(COMPILE) -$(2) $(WARN) -c $$| -o $$(new) && $$(whole)
$(3)/%.o: $(call stamps,$(wildcard $(LONG)/$(1)/*)) build/flags | $(LONG)/$(1)/%.S
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$$(COMPILE) -c $$| -o $$(new) && $$(whole)
$(3)/snapshot.o: $(patsubst %,$(3)/%.o,$(basename $(notdir $(wildcard $(LONG)/*.c $(LONG)/$(1)/*.[cS]))))
	$(Q)$(CC) -nostdlib -r $$^ -o $$(new)
	$(Q)$$(call to_section,snapshot_text) && $$(whole)
$(3)/long: $(3)/snapshot.o $(LONG_OBJECTS)
	@echo '  LD      $$@'
	$(Q)$(CC) $(LDFLAGS) $$^ -o $$(new) && $$(whole)
$(3)/check.ok: $(3)/long build/platform $(call stamps,$(wildcard $(LONG)/*.py $(LONG_KEYS)) harness/check.py)
	$(Q)$(LONG_RUN) check $$< $$@
endef
$(foreach k,$(LONG_KINDS),$(foreach l,$(LONG_LEVELS),$(eval $(call long_rules,$(k),$(l),build/$(LONG)/$(k)/$(l)))))

LONG_READY   := $(addsuffix /check.ok,$(LONG_OUT)) build/selftest build/counter
LONG_MEASURE := MAKE_PID=$$PPID $(LONG_RUN) measure

##@ long numbers
.PHONY: width-1024
width-1024: $(LONG_READY) ## products, powers and RSA of 64 to 2048 bits: build, check, measure, tables
	$(Q)$(LONG_MEASURE)
	$(Q)$(PYTHON) -m rsalab.long_numbers results/local
