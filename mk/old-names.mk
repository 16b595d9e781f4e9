# Names that README or docs/ had for a target of today: one line says the name of today, and make does it.
# $(1) the earlier name, $(2) today's.
define old_name
.PHONY: $(1)
$(1):
	@echo "make: $(1) is called $(2) today" >&2
	+@$$(MAKE) $(2)
endef
$(eval $(call old_name,distclean,clean-all))
$(eval $(call old_name,notebook,jupyter))
$(eval $(call old_name,test-board,board-test))
$(eval $(call old_name,verify,prove))
