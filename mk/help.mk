.PHONY: help
# A comment `##@ title` begins a group; `target: ... ## text` is a line of it.
help:
	@echo "Words with a = are typed after the target, as in:  make diff B=v4 LEVEL=O3"
	@sed -n -e 's/^##@ \(.*\)/\n\1/p' \
		-e 's/^\(# \)\{0,1\}\([a-z0-9][a-z0-9-]*\):.*## \(.*\)/  make \2\t\3/p' $(MAKEFILE_LIST) | expand -t 24
