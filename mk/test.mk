##@ tests
.PHONY: test test-bare test-quick test-long
# TESTS is cut at its spaces, and nothing else of it means anything to the shell.
NO_TEST = { status=$$?; [ $$status != 5 ] || echo "make: TESTS=$$TESTS: no such test" >&2; exit $$status; }
PYTEST := set -f; $(VENV) -m pytest -n auto --maxprocesses 8

test: venv build/counter ## all tests but the long ones: minutes (TESTS='tests/records -k workload': only these)
	$(Q)harness/setup/setup.sh site tests fuzz openssl labs || true
	$(Q)$(PROVERS) studies/width-1024/requirements.lock || true
	$(Q)$(PYTEST) -m 'not long' $$TESTS || $(NO_TEST)

test-quick: venv ## only the quick tests, which build no rung: about 3 minutes
	$(Q)$(PYTEST) -m 'not slow and not long' $$TESTS || $(NO_TEST)

test-long: venv build/counter ## all tests; after a stop it continues; writes tests/last-long.txt
	$(Q)harness/setup/setup.sh site tests fuzz openssl labs || true
	$(Q)$(PROVERS) studies/width-1024/requirements.lock || true
	$(Q)$(PYTEST) --resume=build/tests $$TESTS

test-bare: ## SUITE=trixie: README's commands on a minimal Debian: half an hour (WHO=root)
	$(Q)harness/setup/setup.sh bare
	$(Q)$(PYTHON) tests/bare.py "$${SUITE:-bookworm}" --user "$${WHO:-student}"
