# Programs whose calls are counted (-pg), for gprof alone: no other number comes from them.

# Lee's functions are not static, which decides what -O1 inlines, and are profiled like that here.
as_there = $(if $(filter studies/width-96/%,$(1)),-Dstatic= -Wno-missing-prototypes)

# What a folder has in assembly of the two functions that a snapshot exports.
in_assembly = $(if $(wildcard $(1)/mont.S),$(shell sed -n 's/^ *\.global *//p' $(1)/mont.S))

# $(1) folder, $(2) level, $(3) width.  Assembly counts nothing, so what is in assembly gets a stub in C
# that calls it.
define gprof_rules
build/gprof/$(1)/$(2)/%.o: $(1)/%.c $(wildcard $(1)/*.h) harness/snapshot.h build/flags
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$(CC) $(ARCH) -$(2) -pg -DWIDTH=$(3) $(WARN) $(call as_there,$(1)) -Iharness -c $$< -o $$(new) && $$(whole)
build/gprof/$(1)/$(2)/%.o: $(1)/%.S build/flags
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$(CC) $(ARCH) -DWIDTH=$(3) -c $$< -o $$(new)
	$(Q)$(OBJCOPY) $(foreach f,$(call in_assembly,$(1)),--redefine-sym $(f)=$(f)_assembly) $$(new) && $$(whole)
build/gprof/$(1)/$(2)/stub.o: harness/calls/stub.c harness/snapshot.h build/flags
	@mkdir -p $$(@D)
	$(Q)$(CC) $(ARCH) -$(2) -pg -DWIDTH=$(3) $(if $(filter mod_exp,$(call in_assembly,$(1))),-DMOD_EXP) $(WARN) -Iharness -c $$< -o $$(new) && $$(whole)
build/gprof/$(1)/$(2)/rsa: $(patsubst $(1)/%.S,build/gprof/$(1)/$(2)/%.o,$(patsubst $(1)/%.c,build/gprof/$(1)/$(2)/%.o,$(wildcard $(1)/*.c $(1)/*.S))) $(if $(wildcard $(1)/*.S),build/gprof/$(1)/$(2)/stub.o) $(HARNESS:harness/driver/%.c=build/harness/$(3)/%.o)
	@echo '  LD      $$@'
	$(Q)$(CC) $(LDFLAGS) -pg $$^ -o $$(new) && $$(whole)
endef
# Every snapshot but those whose calls are their rung's: a dead end changes one technique of it.
PROFILE := $(filter-out studies/dead-ends/%,$(SNAPSHOTS))
$(foreach s,$(PROFILE),$(foreach l,$(LEVELS),$(eval $(call gprof_rules,$(s),$(l),$(call width_of,$(s))))))

# The pictures need gprof2dot, which is in the virtual environment; without it there are the texts.
DRAW     = $(or $(wildcard $(VENV)),$(PYTHON)) -m harness.calls.draw
PROFILED = $(foreach s,$(PROFILE),$(foreach l,$(LEVELS),build/gprof/$(s)/$(l)/rsa))
.PHONY: gprof
gprof: $(PROFILED) build/platform ## call graphs of every rung, here and in the studies, texts and SVG: results/local/gprof/
	$(Q)$(PYTHON) -m harness.calls.gprof $(PROFILE)
	$(Q)$(DRAW) results/local
