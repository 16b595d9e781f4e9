# `make board DO=count` and `make clean ALL=1`, as they were once said: one line says the target of today, and
# make does it.
# Lines of target/word/target of today.
TODAY := \
	board/run/board           board/count/board-count    board/test/board-test          board/shell/board-shell \
	notebooks/run/notebooks   notebooks/jupyter/jupyter  site/pages/site                site/slides/slides \
	verify/proofs/prove       verify/traces/traces       verify/mutants/mutants         verify/fuzz/fuzz \
	openssl/build/openssl     openssl/test/openssl-test  openssl/speed/openssl-speed \
	import/take/import        import/check/valid         import/contribute/contribute   clean/1/clean-all
# $(1) a target.
$(if $(MAKECMDGOALS),,$(error DO=$(DO): say a target, too; `make help-all` lists them))
today  = $(notdir $(filter $(1)/$(EARLIER)/%,$(TODAY)))
WORDS := $(foreach target,$(MAKECMDGOALS),$(notdir $(patsubst %/,%,$(dir $(filter $(target)/%,$(TODAY))))))
$(foreach target,$(MAKECMDGOALS),$(if $(call today,$(target)),,\
	$(error DO=$(DO): $(target) can do: $(or $(WORDS),nothing else))))
.PHONY: $(MAKECMDGOALS)
$(MAKECMDGOALS):
	@echo "make: this is called 'make $(call today,$@)' today" >&2
	+@$(MAKE) $(call today,$@) DO= ALL=
