##@ one technique alone
.PHONY: orders

# v8's product and the same instructions in another order.
ORDERED := build/iterations/v8/O1/rsa build/studies/alone/ordered/O1/rsa

orders: venv $(ORDERED) ## the fastest order of v8's instructions, proved
	$(Q)$(VENV) -m studies.alone.ordered.order $(ORDERED)
