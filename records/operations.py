"""What rows of operations.csv (studies/width-1024) and openssl.csv (studies/openssl) may say."""

from __future__ import annotations

from collections.abc import Collection

from records.ladder import EVERY_LEVEL

SIZES = (64, 128, 256, 512, 1024, 2048)  # bits: the rows of Markovic, Unkasevic and Djordjevic
PRODUCT, SQUARE, POWER, PRIVATE = "product", "square", "power", "private"
RANDOM = "random"
PATTERNS = ("0x55..55", "0xff..ff", "0x80..01")  # operands of the same source
RSA_SIZES = (512, 1024, 2048, 3072, 4096, 7680, 15360)
# File -> column -> its words.
WORDS: dict[str, dict[str, Collection[object]]] = {
    "operations.csv": {
        "implementation": ("assembly", "plain"),
        "level": EVERY_LEVEL,
        "operation": (PRODUCT, SQUARE, POWER, PRIVATE),
        "bits": tuple(map(str, SIZES)),
        "operands": (RANDOM, *PATTERNS),
        "unit": ("instructions", "mispredictions"),
    },
    "openssl.csv": {
        "implementation": ("ours", "assembly", "neon", "c"),
        "level": ("O3",),
        "operation": ("sign", "verify"),
        "bits": RSA_SIZES,
        "operands": ("openssl-speed",),
        "way": ("rsa",),
        "metric": ("instructions", "multiplies_long", "multiplies_umaal"),
        "unit": ("instructions",),
    },
}
