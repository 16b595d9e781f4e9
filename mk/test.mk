##@ tests
.PHONY: test test-quick test-long
# TESTS is cut at its spaces, and nothing else of it means anything to the shell.
NO_TEST = { status=$$?; [ $$status != 5 ] || echo "make: TESTS=$$TESTS: no such test" >&2; exit $$status; }
PYTEST := set -f; $(VENV) -m pytest -n auto --maxprocesses 8

test: venv ## run the tests that take minutes (TESTS='tests/records -k workload': only these)
	$(Q)harness/setup/setup.sh site tests || true
	$(Q)$(PYTEST) -m 'not long' $$TESTS || $(NO_TEST)

test-quick: venv ## those that need no built ladder: under a minute
	$(Q)$(PYTEST) -m 'not slow and not long' $$TESTS || $(NO_TEST)

test-long: venv ## all of them; a run that was stopped goes on; writes tests/last-long.txt
	$(Q)harness/setup/setup.sh site tests || true
	$(Q)$(PYTEST) --resume=build/tests $$TESTS
