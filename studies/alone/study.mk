##@ one technique alone

# v8's product and the same instructions in another order.
ORDERED := build/iterations/v8/O1/rsa build/studies/alone/ordered/O1/rsa

.PHONY: orders
orders: venv $(ORDERED) ## the fastest order of v8's instructions, proved
	$(Q)$(VENV) -m studies.alone.ordered.order $(ORDERED)
