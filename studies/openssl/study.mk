##@ OpenSSL
.PHONY: openssl openssl-test openssl-speed

openssl: ## OpenSSL 3.1.1: C, its assembly, ours (OPENSSL_SRC=PATH)
openssl-test: ## OpenSSL's own tests with our assembly
openssl-speed: build/operation.so ## instructions an operation of each
openssl openssl-test openssl-speed: build/platform
	$(Q)sh harness/setup/setup.sh openssl
	$(Q)$(PYTHON) -m studies.openssl.openssl $(patsubst openssl,build,$(@:openssl-%=%))
