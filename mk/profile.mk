# Programs whose calls are counted (-pg), for gprof alone: no other number comes from them.

# Lee's functions are not static, which decides what -O1 inlines, and are profiled like that here.
as_there = $(if $(filter studies/width-96/%,$(1)),-Dstatic= -Wno-missing-prototypes)

# What a folder has in assembly of the two functions that a snapshot exports.
GLOBAL     := $(shell grep -s '^ *\.global' iterations/*/mont.S studies/*/*/mont.S /dev/null | \
	sed 's,/mont.S: *\.global *\([A-Za-z0-9_]*\).*,=\1,')
in_assembly = $(patsubst $(1)=%,%,$(filter $(1)=%,$(GLOBAL)))
renamed     = $(foreach f,$(call in_assembly,$(1)),--redefine-sym $(f)=$(f)_assembly)

# $(1) folder, $(2) width, $(3) stamps of its files, $(4) folder of the objects, $(5) level.  Assembly counts
# nothing, so what is in assembly gets a stub in C that calls it.
define gprof_rules
$(4)/%.o: $(3) build/flags | $(1)/%.c
	@mkdir -p $$(@D)
	@echo '  CC      $$@'
	$(Q)$$(COMPILE) -$(5) -pg -DWIDTH=$(2) $(INCLUDE) $(call as_there,$(1)) -c $$| -o $$(new) && $$(whole)
$(4)/%.o: $(3) build/flags | $(1)/%.S
	@mkdir -p $$(@D)
	@echo '  AS      $$@'
	$(Q)$$(COMPILE) -DWIDTH=$(2) -c $$| -o $$(new)
	$(Q)$(OBJCOPY) $(call renamed,$(1)) $$(new) && $$(whole)
$(4)/stub.o: $(call stamps,harness/snapshot.h harness/stub.c) build/flags | harness/stub.c
	@mkdir -p $$(@D)
	$(Q)$$(COMPILE) -$(5) -pg -DWIDTH=$(2) $(if $(filter mod_exp,$(call in_assembly,$(1))),-DMOD_EXP) \
		$(INCLUDE) -c $$| -o $$(new) && $$(whole)
$(4)/rsa: $(call objects,$(1),$(4)) $(if $(call in_assembly,$(1)),$(4)/stub.o) $(call driver,$(2),build)
	@echo '  LD      $$@'
	$(Q)$(CC) $(LDFLAGS) -pg $$^ -o $$(new) && $$(whole)
endef
profiled = $(call gprof_rules,$(1),$(call width_of,$(1)),$(call sources,$(1)),build/gprof/$(1)/$(2),$(2))
# Every snapshot but single techniques and dead ends.
PROFILE := $(filter-out studies/alone/% studies/dead-ends/%,$(SNAPSHOTS))
ifneq ($(filter gprof reference build/gprof/%,$(MAKECMDGOALS)),)
$(foreach s,$(PROFILE),$(foreach l,$(LEVELS),$(eval $(call profiled,$(s),$(l)))))
endif

# The pictures need gprof2dot, which is in the virtual environment; without it there are the texts.
DRAWER   = $(or $(wildcard $(VENV)),$(PYTHON))
DRAW     = $(DRAWER) -m harness.draw
PROFILED = $(foreach s,$(PROFILE),$(foreach l,$(LEVELS),build/gprof/$(s)/$(l)/rsa))

##@ where the instructions go
.PHONY: annotate gprof
study_of  = $(if $(filter iterations,$(STUDY)),iterations,studies/$(STUDY))
# $(1) folders: the one that STUDY and V name, if it is among them.  A % in a name is no pattern.
named     = $(filter $(subst %,\%,$(call study_of)/$(V)),$(1))
ANNOTATED := $(if $(filter $(LEVELS),$(LEVEL)),$(call named,$(SNAPSHOTS)))
MEASURED  := $(if $(ANNOTATED),$(call ready,$(ANNOTATED)))
annotate: $(MEASURED) ## V=v6 LEVEL=O1: exact counts beside every line, for callgrind_annotate, KCachegrind
	$(Q)$(if $(ANNOTATED),$(COLLECT) $(ANNOTATED),true)
	$(Q)$(PYTHON) -m harness.annotate --study "$$STUDY" "$$V" "$$LEVEL"

gprof: $(PROFILED) build/platform ## call graphs of every rung and study, texts and SVG: results/local/gprof/
	$(Q)$(PYTHON) -m harness.gprof $(PROFILE)
	$(Q)$(DRAW) results/local
