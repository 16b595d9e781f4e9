# What there is: every folder with an rsa.c is a snapshot.

# Names become parts of rules and of commands, so they are plain, or make goes no further.
READ    := iterations/*/*.[chS] studies/*/*/*.[chS] data/inputs/*/vectors/*
READ    += studies/*/*.[ch] studies/*/*/*.inc data/inputs/rsa-keys/*
STRANGE := $(shell ls -d $(READ) 2>/dev/null | LC_ALL=C grep -v '^[A-Za-z0-9._/-]*$$' | head -n 1)
ifneq ($(STRANGE),)
$(error $(STRANGE): a name with other characters than A-Z, a-z, 0-9, '.', '_' and '-'; rename it)
endif

# A file's stamp has the hash of its contents in its name.  What is made of a file depends on its
# stamp, so that other contents make it again, and another date alone does not.
HASHED := $(wildcard $(READ) harness/snapshot.h harness/*.py harness/driver/* \
	harness/stub.c studies/width-1024/*.py harness/plugin/* harness/host/arm_neon.h)
$(foreach s,$(shell sha256sum $(HASHED) | sed -n 's/^\(.\{16\}\).*  \(.*\)$$/SUM_\2:=\1/p'),$(eval $(s)))
# $(1) files.
stamps  = $(foreach f,$(1),build/stamp/$(f).$(SUM_$(f)))

ITERATIONS := $(patsubst %/rsa.c,%,$(wildcard iterations/*/rsa.c))
STUDIES    := $(patsubst %/rsa.c,%,$(wildcard studies/*/*/rsa.c))
SNAPSHOTS  := $(ITERATIONS) $(STUDIES)
RUNGS      := $(notdir $(ITERATIONS))

# A snapshot's width is its own README's, else the study's.  FOLDER=WIDTH for each README that has one.
STATED   := $(shell grep -s '^width: *[0-9]' iterations/*/README.md studies/*/README.md studies/*/*/README.md \
	labs/*/README.md /dev/null | sed 's,/README.md:width: *\([0-9]*\).*,=\1,')
width_of  = $(or $(call stated,$(1)),$(call stated,$(patsubst %/,%,$(dir $(1)))),128)
stated    = $(patsubst $(1)=%,%,$(firstword $(filter $(1)=%,$(STATED))))
OTHER    := $(subst =,/README.md: width: ,$(firstword $(filter-out %=128,$(filter iterations/%,$(STATED)))))
ifneq ($(OTHER),)
$(error $(OTHER): a rung has 128 bits; another width is a study)
endif
LABS     := $(patsubst %/README.md,%,$(wildcard labs/*/README.md))
# It has a stamp, too, with the names of the files: another width or list makes another program.
# $(1) folder.
empty      :=
names_of    = $(subst $(empty) ,,$(subst .,-,$(patsubst $(1)/%,_%,$(wildcard $(1)/*.[cS]))))
width_stamp = build/stamp/$(1)/width.$(call width_of,$(1))$(names_of)
WIDTHS   := $(sort $(foreach s,$(SNAPSHOTS) $(LABS),$(call width_of,$(s))))
