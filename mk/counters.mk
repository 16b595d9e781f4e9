# What counts: a plugin of qemu-arm, or Unicorn where qemu-arm loads no plugins.

PLUGIN := $(filter-out %/hooks.c,$(wildcard harness/plugin/*.c harness/plugin/*.h))
build/count.so: $(call stamps,$(PLUGIN)) build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) -o $(new) $(filter %.c,$(PLUGIN)) && $(whole)

HOOKS := $(addprefix harness/plugin/,hooks.c a32.c a32.h predict.c predict.h)
build/unicorn.so: $(call stamps,$(HOOKS)) build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) \
		-o $(new) $(filter %.c,$(HOOKS)) && $(whole)

# The counter proves itself on a program of known counts before every collection.
SELFTEST := harness/plugin/selftest.S
build/selftest: $(call stamps,$(SELFTEST)) build/flags
	@echo '  AS      $@'
	$(Q)$(COMPILE) $(LDFLAGS) -nostdlib $(SELFTEST) -o $(new) && $(whole)

# Which of the two it is, asked again where Unicorn counts and the virtual environment is gone.
LOST := $(and $(filter unicorn,$(file <build/counter)),$(if $(wildcard .venv/stamp),,yes))
build/counter: build/count.so build/unicorn.so build/platform $(if $(LOST),FORCE)
	$(Q)harness/setup/counter.sh >$(new) && $(whole)
