##@ how far it goes
.PHONY: crt peers

# The private operation by CRT has a contract of its own, crt.h, and no driver: Unicorn calls it.
CRT := build/studies/limit/crt/crt
$(CRT): studies/limit/crt/crt.S build/flags | build/trace.so
	$(Q)mkdir -p $(@D) && $(COMPILE) $(LDFLAGS) -nostdlib -Wl,-e,private_crt $< -o $(new) && $(whole)

crt: venv $(CRT) ## the private operation by CRT: check, count, leaks
	$(Q)$(VENV) -m studies.limit.crt.crt $(CRT)

# Of our own peers those that are rungs; the long numbers are one, too.
RUNG_IN   := s,.* build/\(.*\)/O[^/]*/snapshot\.o.*,\1,p
OUR_PEERS := $(if $(filter peers,$(MAKECMDGOALS)),$(shell \
	LC_ALL=C sed -n '$(RUNG_IN)' studies/limit/peers/programs.csv))
PEERS_READY = $(LONG_READY) build/operation.so $(call checked,$(filter $(OUR_PEERS),$(SNAPSHOTS)))

peers: $$(PEERS_READY) ## GMP, OpenSSL, ... beside ours (PEERS_SRC=FOLDER)
	$(Q)sh harness/setup/setup.sh --some openssl peers || true
	$(Q)$(PYTHON) -m studies.limit.peers.peers
