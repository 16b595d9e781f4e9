# Notebooks and pages, made from results.

##@ notebooks and pages
.PHONY: figures jupyter models new-iteration notebook notebooks site slides
notebooks: venv ## run the notebooks on your own results, into build/notebooks/
	$(Q)$(VENV) -m rsalab.notebooks --results results/local

jupyter: | setup ## open the notebooks in JupyterLab, for this machine alone; prints its address and token
	$(Q)harness/setup/setup.sh python notebook && harness/setup/venv.sh notebooks/requirements.lock
	$(Q)$(VENV) -m rsalab.notebooks --open

notebook:
	@echo 'make: say make jupyter (opens the notebooks) or make notebooks (runs them)' >&2; exit 2

site: venv ## report, notebooks, explorer and call graphs as pages: build/site (M=qemu-gcc12: other results)
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages site "results/$${M:-local}" build/site

slides: venv ## two slides a step, with notes, in one file: build/slides.html (M=qemu-gcc12: other results)
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages slides "results/$${M:-local}" build/slides.html

figures: venv ## draw docs/figures/*.svg from their .dot
	$(Q)harness/setup/setup.sh site && $(VENV) -m rsalab.pages figures

models: ## cycles of an ARM1176 and a Cortex-A72 by model, with its error (M=qemu-gcc12: other results)
	$(Q)$(PYTHON) -m rsalab.steps models $(if $(M),,--keep) "results/$${M:-local}"

new-iteration: ## FROM=v8 NAME=v9: a new rung to fill in
	$(Q)$(PYTHON) -m rsalab.steps new-iteration "$$FROM" "$$NAME" --study "$$STUDY"
