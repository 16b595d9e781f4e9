##@ this machine
.PHONY: clean container distclean doctor venv
doctor: ## what is ready, what is missing and what to type; changes nothing
	$(Q)harness/setup/python.sh -B -m harness.doctor

venv: | setup ## make .venv for the tests, the notebooks and make diff: 0.5 GB
	$(Q)harness/setup/setup.sh python && harness/setup/venv.sh

container: ## make all-iterations in a container, for macOS and Windows
	$(Q)harness/setup/container.sh

clean: ## remove everything that make has built; results stay
	$(Q)rm -rf build

distclean: ## YES=1: remove .venv, caches and the results of this machine, too
	$(Q)[ "$$YES" = 1 ] || { echo 'make: this removes the measurements in results/local, too;' \
		'type: make distclean YES=1' >&2; exit 2; }
	$(Q)rm -rf build .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache results/local results/farm \
		results/earlier
	$(Q)find . -name __pycache__ -prune -exec rm -rf {} +
