# What reads results and sources, and measures nothing.

##@ read a step, read the results
.PHONY: diff why scoreboard explore report steps
DIFFED := $(foreach s,$(SNAPSHOTS),$(foreach l,$(ONE_LEVEL),build/$(s)/$(l)/rsa.s))
diff: venv $(DIFFED) ## B=v4: a rung beside its parent, in C and assembly (LEVEL=O3; A=v0: beside v0)
	$(Q)$(VENV) -m rsalab.steps diff "$$B" --parent "$$A" --level "$$LEVEL" --study "$$STUDY"

why: ## B=v4: why a step gains, by function and by class of instruction (M=qemu-gcc12: other results)
	$(Q)$(PYTHON) -m rsalab.steps why "$$B" --study "$$STUDY" --results "$$M"

scoreboard: ## what each step was expected to gain, what it gained, and the commit that predicted it
	$(Q)$(PYTHON) -m rsalab.steps scoreboard --study "$$STUDY" --results "$$M"

explore: $(call ready,$(ITERATIONS)) ## any two rungs side by side, with the count of every line: build/explorer.html
	$(Q)$(COLLECT) $(ITERATIONS)
	$(Q)$(PYTHON) -m rsalab.explorer results/local build/explorer.html

# Its HTML and PDF go to build/ and are not committed.
FOR_RECORD := $(filter reference,$(MAKECMDGOALS))
PAGE       := build/REPORT$(if $(FOR_RECORD),-reference)
ifneq ($(and $(FOR_RECORD),$(filter report,$(MAKECMDGOALS)),$(M)),)
$(error M=$(M): make reference report writes of the reference alone; leave M out)
endif
report: venv $(FOR_RECORD) ## your own results as build/REPORT.md, .html, .pdf (M=qemu-gcc12: other results)
	$(Q)$(VENV) -m rsalab.report.generate $(if $(FOR_RECORD),--reference,"results/$${M:-local}" build/REPORT.md)
	$(Q)$(VENV) -m rsalab.pages report $(if $(FOR_RECORD),,build/)REPORT.md $(PAGE).html
	$(Q)$(if $(FOR_RECORD),$(VENV) -m rsalab.notebooks,true)

steps: ## how many lines every step changes
	$(Q)$(PYTHON) -m rsalab.steps sizes --study "$$STUDY"
