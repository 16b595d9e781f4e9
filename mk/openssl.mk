# OpenSSL 3.1.1 with our Montgomery product in it.

OPENSSL := PYTHONPATH=. $(PYTHON) studies/openssl/openssl.py

##@ OpenSSL
.PHONY: openssl openssl-test openssl-speed
openssl: build/platform ## build OpenSSL 3.1.1 three times: C, its assembly, ours (OPENSSL_SRC=PATH: its source)
	$(Q)harness/setup/setup.sh openssl
	$(Q)MAKE_PID=$$PPID $(OPENSSL) build

OPERATION := studies/openssl/operation.c $(addprefix harness/plugin/,a32.c a32.h qemu_plugin.h)
build/operation.so: $(OPERATION) build/flags
	@echo '  HOSTCC  $@'
	$(Q)$(HOSTCC) -std=c11 -O2 -fPIC -shared $(WARN) -Iharness/plugin -o $(new) $(filter %.c,$^) && $(whole)

openssl-test: openssl ## OpenSSL's own tests of numbers, RSA, DH, DSA and curves, with ours in: minutes
	$(Q)$(OPENSSL) test

openssl-speed: openssl build/operation.so ## what an RSA operation of each build executes; on an ARM board, its time
	$(Q)$(OPENSSL) speed
