##@ OpenSSL
.PHONY: openssl openssl-test openssl-speed

OPENSSL := $(PYTHON) -m studies.openssl.openssl

openssl: build/platform ## OpenSSL 3.1.1: C, its assembly, ours (OPENSSL_SRC=PATH)
	$(Q)sh harness/setup/setup.sh openssl
	$(Q)$(OPENSSL) build

openssl-test: build/platform ## OpenSSL's own tests with our assembly
	$(Q)sh harness/setup/setup.sh openssl
	$(Q)$(OPENSSL) test

openssl-speed: build/platform build/operation.so ## instructions an operation of each
	$(Q)sh harness/setup/setup.sh openssl
	$(Q)$(OPENSSL) speed
