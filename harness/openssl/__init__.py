"""OpenSSL 3.1.1 for ARM, three times: C, its own assembly, ours; its tests and its speed."""
