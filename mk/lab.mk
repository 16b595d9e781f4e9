# Exercises: labs/*.py builds, checks and counts them; labs/work/ is the student's.

LAB_WIDTHS := $(sort $(foreach l,$(LABS),$(call width_of,$(l))))
LAB_READY  := build/platform build/selftest build/counter $(foreach w,$(LAB_WIDTHS),$(call driver,$(w),build))
LAB := CC='$(CC)' ARCH='$(ARCH)' WARN='$(WARN)' LDFLAGS='$(LDFLAGS)' OBJCOPY='$(OBJCOPY)' \
	PYTHON='$(PYTHON)' $(PYTHON)

##@ exercises
.PHONY: lab grade
lab: $(if $(L),$(LAB_READY)) ## L=3: build, check, count your work on an exercise (HINT=1, SOLUTION=1); no L: a list
	$(Q)$(LAB) -m labs.lab "$$L" "$$HINT" "$$SOLUTION"

grade: $(if $(DIR),$(LAB_READY)) ## DIR=submissions: check many students' folders into one CSV (UNSAFE=1: no sandbox)
	$(Q)$(if $(DIR),harness/setup/setup.sh labs || true)
	$(Q)$(LAB) -m labs.grade "$$DIR"
