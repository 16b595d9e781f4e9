# An ARM computer to try everything on, emulated whole; and what a board's owner hands on.
#
#   B=v8            only this rung
#   BOARD=arm64     with a 64-bit userland and the cross compiler, as Raspberry Pi OS (64 bit)

##@ boards
.PHONY: board board-count board-shell contribute test-board
BOTH_COUNTERS := build/count.so build/unicorn.so
ifneq ($(filter %board board-%,$(MAKECMDGOALS)),)
ifneq ($(filter-out armhf arm64,$(BOARD)),)
$(error BOARD=$(BOARD): say armhf or arm64)
endif
ifneq ($(filter-out $(RUNGS),$(B)),)
$(error B=$(B): no rung; the rungs are: $(RUNGS))
endif
endif
AT_BOARD = $(PYTHON) -m harness.board --kind "$${BOARD:-armhf}" --rung "$$B"
# Its counts are compared with those of both counters here.
COMPARED = harness/setup/setup.sh board && harness/setup/unicorn.sh && $(AT_BOARD)

board: | setup $(BOTH_COUNTERS) ## make all-iterations on an emulated ARM computer with an ARM kernel
	$(Q)$(COMPARED) run

board-count: $(call checked,$(ITERATIONS)) | setup $(BOTH_COUNTERS) ## that kernel counts programs built here
	$(Q)$(COMPARED) count

test-board: | setup $(BOTH_COUNTERS) ## start it once, measure v8 there, compare three counters
	$(Q)$(COMPARED) test

board-shell: | setup ## a prompt on that computer; `exit` switches it off
	$(Q)harness/setup/setup.sh board && $(AT_BOARD) shell

contribute: ## the results of your board as an archive for others (M=local: which), without the name of your machine
	$(Q)$(PYTHON) -m harness.exchange.contribute "results/$${M:-local}" build/contribute
