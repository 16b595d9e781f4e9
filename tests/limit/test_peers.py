"""studies/limit/peers: its page shows its counts; only what is pinned is believed; a wrong power is
seen."""

import csv
import os
import re
import subprocess
from pathlib import Path

import peers
import pytest
from needs import needs

from records.faults import Failure
from records.ladder import ROOT

HERE = ROOT / peers.HERE


def test_the_page_shows_the_counts() -> None:
    with (HERE / "peers.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["peer"] for row in rows} == {peer.name for peer in peers.PEERS}
    shown = re.findall(r"(?s)```text\n(.*?)\n```", (HERE / "README.md").read_text())
    assert shown == [peers.table(rows, way) for way in ("constant", "variable")]


def test_what_is_not_pinned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gmp-mpfr-sys-1.7.1.crate").write_text("something else")
    monkeypatch.setenv("PEERS_SRC", str(tmp_path))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    monkeypatch.setattr(peers.openssl, "BUILD", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Failure, match="cargo is not installed.* PEERS_SRC=FOLDER"):
        peers.crate("gmp-mpfr-sys")
    with pytest.raises(Failure, match="Debian 12 and 13; this is not Debian"):
        peers.package("libgmp-dev")


COPY = """#include "peer.h"
#include <string.h>
static uint32_t x[COUNT][MAX_WORDS], words;
int take_key(const struct numbers *key, int constant) { words = key->words; return !constant; }
void take_base(int i, const uint32_t *from) { memcpy(x[i], from, 4 * words); }
int power(int i) { return x[i][0] != 0; }
void give_result(int i, uint32_t *to) { memcpy(to, x[i], 4 * words); }
"""


@pytest.mark.slow
@needs("arm-linux-gnueabihf-gcc", "plugins", "python:elftools")
def test_a_wrong_power_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a library whose power is its base, which is right for e = 1."""
    subprocess.run(["make", "-s", str(peers.openssl.PLUGIN)], check=True)
    (tmp_path / "copy.c").write_text(COPY)
    driver = os.path.relpath(tmp_path / "copy", HERE)
    monkeypatch.setattr(peers, "BUILD", tmp_path)
    copy = peers.Peer("copy", driver, lambda: peers.Library([], "1", ""))
    program = peers.linked(copy, copy.library())
    monkeypatch.setattr(peers, "numbers", lambda bits: ((1 << bits) - 1, 1, [5, 7]))
    assert 0 < peers.count(program, "variable", "excluded", 64)[0] < 100
    monkeypatch.setattr(peers, "numbers", lambda bits: ((1 << bits) - 1, 3, [5, 7]))
    with pytest.raises(Failure, match="a power of 64 bits is wrong"):
        peers.count(program, "variable", "excluded", 64)
