"""Bad input: status 2, one line on stderr with place and fault, no result, nothing on stdout."""

from pathlib import Path

import pytest
from driver_build import CHECK, TIME, TRIP, arguments, compile_driver, link, run, small_files

# Must never be reached: bad input is refused before anything is computed.
UNREACHED = """
#include "snapshot.h"
void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m) {
    __builtin_trap();
}
void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, const struct modulus *m) {
    __builtin_trap();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "unreached.c").write_text(UNREACHED)
    return link(folder / "rsa", compile_driver(folder), folder / "unreached.c")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return small_files(tmp_path)


BAD_USAGE = [
    ("", "rsa: '' is no command"),
    ("chekc {vectors}", "rsa: 'chekc' is no command"),
    ("check", "rsa: an input file is missing"),
    ("check -n 1 {vectors}", "rsa: unknown option '-n'"),
    ("count -n", "rsa: -n needs a number"),
    ("count -n x {vectors}", "rsa: -n needs a whole number from 1, not 'x'"),
    ("count -n 1x {vectors}", "rsa: -n needs a whole number from 1, not '1x'"),
    ("count -n -1 {vectors}", "rsa: -n needs a whole number from 1, not '-1'"),
    ("count -n 0 {vectors}", "rsa: -n needs a whole number from 1, not '0'"),
    (f"count -n {10**30} {{vectors}}", "rsa: -n needs a whole number from 1"),
    ("count -n 3 {vectors}", "{vectors}: -n 3 is too many: there are 2"),
    ("count -k nosuch {vectors}", "{vectors}: no vector of the kind 'nosuch'"),
    ("count -k", "rsa: -k needs the name of a kind"),
    ("count {vectors} {vectors}", "rsa: count takes one file"),
    ("roundtrip {key}", "rsa: an input file is missing"),
    ("roundtrip {key} -n 1", "rsa: an input file is missing"),
    ("roundtrip {key} -n 3 {messages}", "{messages}: -n 3 is too many: there are 2"),
    ("roundtrip {key} -s 1 -n 2 {messages}", "{messages}: -n 2 is too many: there are 1"),
    ("roundtrip {key} -s 2 {messages}", "{messages}: -s 2 leaves nothing: there are 2"),
    ("time {key} -k random {messages}", "rsa: unknown option '-k'"),
    ("check {vectors}.not", "{vectors}.not: cannot open: No such file"),
    ("roundtrip {key}.not {messages}", "{key}.not: cannot open: No such file"),
    ("check /", "/: cannot read: Is a directory"),
]


@pytest.mark.parametrize(("command", "fault"), BAD_USAGE)
def test_bad_usage_is_status_2(
    program: Path, files: dict[str, Path], command: str, fault: str
) -> None:
    result = run(program, *arguments(command, files))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(fault.format(**files)) and result.stderr.count("\n") == 1


OVER = "0" * 31 + "08f"
FULL = "f" * 32
BAD_KEYS = [
    ("n 8e\ne 7\nd 67\n", "1: modulus is even"),
    ("e 7\nn 0\nd 67\n", "2: modulus is below 3"),
    ("n 1\ne 7\nd 67\n", "1: modulus is below 3"),
    ("n 2\ne 7\nd 67\n", "1: modulus is below 3"),
    (f"n {OVER}\ne 7\nd 67\n", "1: n has 34 digits; 128 bits hold 32"),
    (f"n 8f\ne {FULL}0\nd 67\n", "2: e has 33 digits; 128 bits hold 32"),
    ("n 8f\ne 7\nd 6g\n", "3: d: 'g' is not a hexadecimal digit"),
    ("n 0x8f\ne 7\nd 67\n", "1: n: 'x' is not a hexadecimal digit"),
    ("n 8f\ne -7\nd 67\n", "2: e: '-' is not a hexadecimal digit"),
    ("", "1: empty file"),
    ("# nothing\n", "1: the key ends without n"),
    ("n 8f\ne 7\nd 67", "3: truncated: the last line has no line end"),
    ("n 8f\r\ne 7\r\nd 67\r\n", "1: CRLF line ends; convert with"),
    ("n 8f\ne 7\n", "2: the key ends without d"),
    ("n 8f\nd 67\n", "2: the key ends without e"),
    ("n 8f\ne 7\ne 7\nd 67\n", "3: second e: the first is in line 2"),
    ("n 8f\ne 7\nd 67\nn 8f\n", "4: second n: the first is in line 1"),
    ("n 8f\ne 7\nd 67\np b\n", "4: unknown field 'p'"),
    ("modulus 8f\ne 7\nd 67\n", "1: unknown field 'modulus'"),
    ("n\ne 7\nd 67\n", "1: a key line has two fields"),
    ("n 8f 8f\ne 7\nd 67\n", "1: a key line has two fields"),
    ("n 8f\0\ne 7\nd 67\n", "1: NUL byte"),
]
BAD_MESSAGES = [
    ("8f 0\n", "1: message is not below n"),
    ("2 80\n0 8f\n", "2: ciphertext is not below n"),
    (f"{OVER} 0\n", "1: message has 34 digits"),
    (f"2 {OVER}\n", "1: ciphertext has 34 digits"),
    ("2 8O\n", "1: ciphertext: 'O' is not a hexadecimal digit"),
    ("", "1: empty file"),
    ("# nothing\n\n", "2: no message in this file"),
    ("2 80\n2 80", "2: truncated"),
    ("2 80\n2\n", "2: a message line has two fields"),
    ("2 80 80\n", "1: a message line has two fields"),
    (" \n", "1: a message line has two fields"),
    ("2 80\r\n", "1: CRLF line ends"),
    ("# comment\r\n2 80\r\n", "1: CRLF line ends"),
    ("2\t80\n", "1: byte 0x09 is not printable ASCII"),
    ("2 80\0\n", "1: NUL byte"),
    (f"2 {'0' * 5000}\n", "1: line longer than 4096 characters"),
    ('"A 80\n', "1: string without its closing quotation mark"),
    ('A" 80\n', "1: string without its closing quotation mark"),
    ('A"B" 80\n', "1: misplaced quotation mark"),
    ('"A"B 80\n', "1: misplaced quotation mark"),
    ('"A""B" 80\n', "1: misplaced quotation mark"),
    ('"" 0\n', "1: empty string"),
    ('"\\n" 80\n', "1: backslash in a string: there are no escapes"),
    ('"\u00e9" 80\n', "1: byte 0xc3 is not printable ASCII"),
    ('"AB" 80\n', "1: message is not below n"),
    ('"abcdefghijklmnopq" 80\n', "1: string of 17 characters; 128 bits hold 16"),
    ('2 "A"\n', "1: ciphertext: '\"' is not a hexadecimal digit"),
]
BAD_VECTORS = [
    ("mont_mul zero 8e 0 0 0\n", "1: modulus is even"),
    ("mod_exp zero 1 0 0 0\n", "1: modulus is below 3"),
    ("mod_exp zero 0 0 0 0\n", "1: modulus is below 3"),
    ("mont_mul zero 8f 8f 0 0\n", "1: x is not below n"),
    ("mont_mul zero 8f 0 8f 0\n", "1: y is not below n"),
    ("mod_exp zero 8f 0 ff 8f\n", "1: z is not below n"),
    (f"mont_mul zero {OVER} 0 0 0\n", "1: n has 34 digits"),
    (f"mod_exp zero 8f 0 {FULL}f 0\n", "1: e has 33 digits"),
    ("mont_mul zero 8f 0 0\n", "1: a vector has six fields"),
    ("mont_mul zero 8f 0 0 0 0\n", "1: a vector has six fields"),
    ("mont_sqr zero 8f 0 0 0\n", "1: unknown operation 'mont_sqr'"),
    (f"mont_mul {'k' * 32} 8f 0 0 0\n", "1: name of the kind longer than 31 characters"),
    ("mont_mul zero 8f 0 0 z\n", "1: z: 'z' is not a hexadecimal digit"),
    ("# nothing\n", "1: no vector in this file"),
    ("", "1: empty file"),
    ("mont_mul zero 8f 0 0 0\nmont_mul zero 8f 0 0 0", "2: truncated"),
    ("mont_mul zero 8f 0 0 0\r\n", "1: CRLF line ends"),
]
BAD_INPUT = [
    *(("key", TRIP, *case) for case in BAD_KEYS),
    *(("messages", TIME, *case) for case in BAD_MESSAGES),
    *(("vectors", CHECK, *case) for case in BAD_VECTORS),
]


@pytest.mark.parametrize(("spoilt", "command", "text", "fault"), BAD_INPUT)
def test_bad_input_is_status_2(
    program: Path, files: dict[str, Path], spoilt: str, command: str, text: str, fault: str
) -> None:
    files[spoilt].write_bytes(text.encode())
    result = run(program, *arguments(command, files))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"{files[spoilt]}:{fault}")
    assert result.stderr.count("\n") == 1


def test_a_bad_last_file_stops_the_first(program: Path, files: dict[str, Path]) -> None:
    """Also when the good file before it would have been enough for -n."""
    result = run(program, *arguments("roundtrip {key} -n 1 {messages} {vectors}", files))
    assert (result.returncode, result.stdout) == (2, "")
