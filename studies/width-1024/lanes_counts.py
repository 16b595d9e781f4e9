"""Pairs checked, counted and looked at for leaks by Unicorn; the bound of a column, computed.

`python3 -m studies.width-1024.lanes_counts [--record] [--secrets 256]` takes the
programs of build/studies/width-1024/lanes.  Python's integers are the oracle: a call is refused if
its result is wrong, if a digit or a number leaves its bound, if it changes a register that has to be
preserved, or if it accesses anything but its operands and its frame.  `--record` writes counts.csv,
which README.md and the report read.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from struct import pack, unpack

from harness.kinds import Stream
from harness.operands import Key
from harness.unicorn import HOOKS, READ, WRITE, State, Traced
from records.commands import command
from records.faults import Failure
from records.settings import LEVELS
from records.tables import Table, fitted, terminal_columns

from . import lanes_page
from .keys import KEYS, LIMB_BITS, MOST_LIMBS, read_numbers
from .pairs import (
    PAIR_BYTES,
    STEPS,
    Numbers,
    Step,
    from_digits,
    moduli,
    modulus_words,
    operands,
    overflowing,
    to_digits,
    words,
    worst_sum,
)

FOLDER = Path(__file__).resolve().parent / "lanes"
BUILT = Path("build/studies/width-1024/lanes")
KEY_FOLDERS = (KEYS, FOLDER / "keys")

# Of p and q in limbs: the shortest, every size of the last block, and both sides of the lengths
# from which windows have five bits and digits 28.
LENGTHS = (*range(9, 25), 31, 32, 54, 55)
E = 65537
MIN_LIMBS = 9  # of p and q, see pair.h
FACTOR_BITS = range(25, 49)

# Operands, then the stack, in memory of their own: a private operation needs 40 KiB of frame.
MEMORY = 0x71000000
STACK_TOP = MEMORY + (1 << 20)
FRAME_BYTES = 1 << 16
UNTOUCHED = b"\xa5"  # what a call finds in its frame
OWN_FRAME = 64  # bytes at the top of it: registers of the caller, and three addresses
Z, X, Y, MODULUS = (MEMORY + 0x1000 * i for i in range(4))
# What private_lanes returns, see pair.h.
WITHHELD, DONE, BAD_SIZE, BAD_PLACE, BAD_MESSAGE, BAD_KEY = range(6)

# ---- calls


class Program(Traced):
    """A program whose functions are called one at a time, each call traced."""

    def __init__(self, path: Path, hooks: Path = HOOKS) -> None:
        super().__init__(path, 128, hooks)
        self.engine.map(MEMORY, STACK_TOP - MEMORY)
        self.constants = []
        for segment in self.elf.segments:
            end = segment.start + segment.size
            self.constants.append((segment.start, end, READ))

    def put(self, address: int, data: bytes) -> None:
        """Write operands into memory."""
        self.engine.uc.mem_write(address, data)

    def get(self, address: int, size: int) -> bytes:
        """Return what is in memory."""
        return bytes(self.engine.uc.mem_read(address, size))

    def traced_call(
        self, function: str, allowed: list[tuple[int, int, int]], *arguments: int
    ) -> tuple[int, State]:
        """Call a function and return its result and its trace.  Raises Failure."""
        frame = STACK_TOP - FRAME_BYTES
        ranges = [*allowed, *self.constants]
        return self.guarded(function, STACK_TOP, frame, ranges, *arguments)

    def product(
        self, step: Step, n: Numbers, x: Numbers, y: Numbers | None, alias: str
    ) -> State:
        """Return the trace of a product or, without y, of a square.  Raises Failure where it is
        wrong.  `alias` says which operand is in the place of z."""
        draw = random.Random(0)
        count = step.digits(max(number.bit_length() for number in n))
        head = modulus_words(step, n, count)
        second = x if y is None else y
        self.put(MODULUS, head + words(pair_of(step, n, count), draw))
        self.put(X, words(pair_of(step, x, count), draw))
        self.put(Y, words(pair_of(step, second, count), draw))
        z = {"none": Z, "x": X, "y": Y}[alias]
        allowed = [(z, z + PAIR_BYTES, READ | WRITE)]
        for address in (X, Y, MODULUS):
            allowed.append((address, address + PAIR_BYTES + 16, READ))
        addresses = (X, MODULUS) if y is None else (X, Y, MODULUS)
        function = step.square if y is None else step.product
        _, trace = self.traced_call(str(function), allowed, z, *addresses)
        found = unpack(f"<{2 * count}i", self.get(z, 8 * count))
        for lane in (0, 1):
            expect(step, n[lane], x[lane], second[lane], found[lane::2])
        return trace


def pair_of(step: Step, numbers: Numbers, count: int) -> list[list[int]]:
    """Return both numbers as digits."""
    return [to_digits(number, step, count) for number in numbers]


def expect(step: Step, n: int, x: int, y: int, digits: Sequence[int]) -> None:
    """Raise Failure unless the digits are x y / R modulo n, each within its bound."""
    r = 1 << (step.digit_bits * len(digits))
    z = from_digits(digits, step)
    right = x * y * pow(r, -1, n) % n
    numbers = f"{step.program}: n={n:x} x={x:x} y={y:x}"
    if z % n != right:
        raise Failure(f"{numbers}: {right:x} expected, got {z:x}")
    if not step.takes(x, y, n, r):
        return
    if not step.least(n) <= z <= step.limit(n):
        raise Failure(f"{numbers}: z leaves its bound")
    lowest = min(digits)
    highest = max(digits)
    if lowest < step.lowest_digit or highest > step.highest_digit:
        raise Failure(f"{numbers}: a digit leaves its bound")


def calls(
    program: Program, step: Step, bits: int, draw: random.Random
) -> Iterator[tuple[str, str, State]]:
    """Yield the operation, the alias and the trace of right calls at a size.  Raises Failure."""
    for n in moduli(step, bits, draw):
        count = step.digits(max(n).bit_length())
        if count != step.digits(bits):
            continue
        of_p = operands(step, n[0], draw)
        of_q = operands(step, n[1], draw)
        for _ in of_p:
            x = draw.choice(of_p), draw.choice(of_q)
            y = draw.choice(of_p), draw.choice(of_q)
            alias = draw.choice(("none", "x", "y"))
            yield "product", alias, program.product(step, n, x, y, alias)
            if step.square:
                alias = draw.choice(("none", "x"))
                yield "square", alias, program.product(step, n, x, None, alias)
    if step.signed:
        number, extreme = overflowing(step, step.digits(bits))
        n = number, number
        x = extreme, extreme
        yield "product", "none", program.product(step, n, x, x, "none")
        if step.square:
            yield "square", "none", program.product(step, n, x, None, "none")


def check(
    program: Program, step: Step, draw: random.Random
) -> dict[tuple[str, int], int]:
    """Return the instructions of a product and of a square at each size, edges included; all calls
    are right, and those with the same addresses have one trace.  Raises Failure."""
    counts: dict[tuple[str, int], int] = {}
    for bits in (*step.sizes, *step.edges):
        traces: dict[tuple[str, str], set[int]] = defaultdict(set)
        for operation, alias, trace in calls(program, step, bits, draw):
            traces[operation, alias].add(trace.hash)
            counts[operation, bits] = trace.instructions
        for (operation, alias), hashes in traces.items():
            if len(hashes) > 1:
                raise Failure(
                    f"{step.program}: {operation}, z = {alias}: several traces"
                )
    return counts


# ---- the private operation


def read_keys() -> dict[int, Key]:
    """Return the test keys of both folders whose primes fit, by the bits of n.  Raises Failure and
    OSError."""
    keys = {}
    for folder in KEY_FOLDERS:
        for path in folder.glob("*.txt"):
            key = Key(**read_numbers(path.read_bytes()))
            if key.n.bit_length() >= 1024:
                keys[key.n.bit_length()] = key
    return dict(sorted(keys.items()))


def to_limbs(number: int, count: int = MOST_LIMBS) -> bytes:
    """Return a number as `count` limbs."""
    return number.to_bytes(4 * count, "little")


def nat_modulus(n: int, limbs: int) -> bytes:
    """Return nat.h's struct modulus."""
    r = 1 << LIMB_BITS * limbs
    n0inv = pow(-n, -1, 1 << LIMB_BITS)
    head = pack("<IIII", limbs, n0inv, 0, 1)
    rr = r * r % n
    return head + to_limbs(n) + to_limbs(rr)


def key_words(key: Key, limbs: int, orders: tuple[int, int] | None = None) -> bytes:
    """Return a struct pair_key.  Exponents count modulo `orders`: p - 1 and q - 1 of primes."""
    r = 1 << LIMB_BITS * limbs
    inverse = pow(key.q, -1, key.p)
    lifted_inverse = inverse * r % key.p
    data = nat_modulus(key.p, limbs)
    data += nat_modulus(key.q, limbs)
    if orders is None:
        orders = (key.p - 1, key.q - 1)
    for order in orders:
        data += to_limbs(key.d % order)
    data += to_limbs(lifted_inverse)
    data += to_limbs(key.n, 2 * MOST_LIMBS)
    return data + pack("<I", key.e)


def limbs_of(key: Key) -> int:
    """Return how many limbs p and q get: those of the longer one."""
    return -(-max(key.p, key.q).bit_length() // LIMB_BITS)


def private(
    program: Program, key: Key, x: int, words: bytes | None = None, z: int = Z
) -> tuple[int, int, State]:
    """Return what private_lanes returns, its z, and the trace.  `words` are put in the place of the
    key's own, and z at an address.  Raises Failure, too, if anything but zeros stays on the
    stack."""
    limbs = limbs_of(key)
    data = words or key_words(key, limbs)
    program.put(X, to_limbs(x, 2 * MOST_LIMBS))
    program.put(MODULUS, data)
    allowed = [
        (Z, Z + 8 * limbs, READ | WRITE),
        (X, X + 8 * limbs, READ),
        (MODULUS, MODULUS + len(data), READ),
    ]
    program.put(STACK_TOP - FRAME_BYTES, UNTOUCHED * FRAME_BYTES)
    result, trace = program.traced_call("private_lanes", allowed, z, X, MODULUS)
    left = program.get(STACK_TOP - FRAME_BYTES, FRAME_BYTES - OWN_FRAME)
    if any(left.replace(UNTOUCHED, b"")):
        raise Failure("private_lanes: what it computed stays on the stack")
    return result, int.from_bytes(program.get(Z, 8 * limbs), "little"), trace


def check_private(
    program: Program, key: Key, x: int, words: bytes | None = None
) -> State:
    """Return the trace of a private operation.  Raises Failure where it is wrong."""
    result, z, trace = private(program, key, x, words)
    right = pow(x, key.d, key.n)
    if result != DONE or z != right:
        raise Failure(
            f"private_lanes: n={key.n:x} x={x:x}: {right:x} expected, got {z:x}"
        )
    return trace


def messages(key: Key, draw: random.Random) -> list[int]:
    """Return messages at the edges of 0, p, q and n, and a random one."""
    edges = [0, 1, key.p, key.q, key.n - key.p, key.n - 1]
    return [*edges, draw.randrange(key.n)]


def check_keys(
    program: Program, keys: dict[int, Key], draw: random.Random
) -> dict[int, int]:
    """Return the instructions of a private operation by size: the same for every message, and with
    p and q exchanged.  Raises Failure."""
    counts = {}
    for bits, key in keys.items():
        exchanged = key._replace(p=key.q, q=key.p)
        traces = set()
        texts = messages(key, draw) if bits <= 2048 else [draw.randrange(key.n)]
        for x in texts:
            for one in (key, exchanged):
                trace = check_private(program, one, x)
                traces.add((trace.instructions, trace.hash))
        if len(traces) > 1:
            raise Failure(f"private_lanes: {bits} bits: {len(traces)} traces")
        counts[bits] = trace.instructions
    return counts


def check_fault(program: Program, key: Key) -> None:
    """Raise Failure unless a result is withheld where an exponent of the key is wrong."""
    limbs = limbs_of(key)
    for name in ("dp", "dq"):
        wrong = changed(key_words(key, limbs), PLACES[name], 2)
        result, z, _ = private(program, key, 12345, wrong)
        if result != WITHHELD or z != 0:
            raise Failure("private_lanes: a wrong result left")


def changed(data: bytes, at: int, bits: int) -> bytes:
    """Return the data with some bits of the byte in a place changed."""
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


# The bytes of struct pair_key: where each of its numbers begins, the lowest byte first.
OF_MODULUS = {"limbs": 0, "n0inv": 4, "levels": 8, "n": 16, "rr": 16 + 4 * MOST_LIMBS}
MODULUS_BYTES = 16 + 8 * MOST_LIMBS
PLACES = {f"p.{name}": at for name, at in OF_MODULUS.items()}
PLACES |= {f"q.{name}": MODULUS_BYTES + at for name, at in OF_MODULUS.items()}
for name, limbs in (("dp", 0), ("dq", 1), ("qinv", 2), ("product", 3), ("e", 5)):
    PLACES[name] = 2 * MODULUS_BYTES + 4 * MOST_LIMBS * limbs


def put(data: bytes, place: str, number: int, size: int = 4 * MOST_LIMBS) -> bytes:
    """Return a key's words with another number in a place."""
    at = PLACES[place]
    return data[:at] + number.to_bytes(size, "little") + data[at + size :]


def copied(data: bytes, source: str, target: str, size: int) -> bytes:
    """Return a key's words with so many bytes of one place in another."""
    begin = PLACES[source]
    end = begin + size
    number = int.from_bytes(data[begin:end], "little")
    return put(data, target, number, size)


def equal_primes(key: Key, limbs: int) -> bytes:
    """Return words in which q is p, with all that follows from it but an inverse."""
    data = key_words(key, limbs)
    data = copied(data, "p.limbs", "q.limbs", MODULUS_BYTES)
    data = copied(data, "dp", "dq", 4 * MOST_LIMBS)
    return put(data, "product", key.p * key.p, 8 * MOST_LIMBS)


def bad_moduli(data: bytes, name: str, prime: int, limbs: int) -> dict[str, bytes]:
    """Return a key's words with something wrong about p or q, by what it is."""
    r = 1 << LIMB_BITS * limbs
    rr = r * r % prime
    n = f"{name}.n"
    return {
        f"{name} is even": changed(data, PLACES[n], 1),
        f"{name} is 0": put(data, n, 0),
        f"{name} is 1": put(data, n, 1),
        f"n0inv of {name}": changed(data, PLACES[f"{name}.n0inv"] + 3, 128),
        f"rr of {name}": changed(data, PLACES[f"{name}.rr"], 1),
        f"rr of {name} is not below it": put(data, f"{name}.rr", rr + prime),
    }


def bad_keys(key: Key) -> dict[str, bytes]:
    """Return the words of what is no key, by what is wrong with it."""
    limbs = limbs_of(key)
    data = key_words(key, limbs)
    r = 1 << LIMB_BITS * limbs
    inverse = pow(key.q, -1, key.p) * r % key.p
    equal = equal_primes(key, limbs)
    top_of_n = PLACES["product"] + 8 * limbs - 1
    return {
        "p = q": equal,
        "p = q, with an inverse of 1": put(equal, "qinv", 1),
        **bad_moduli(data, "p", key.p, limbs),
        **bad_moduli(data, "q", key.q, limbs),
        "qinv": changed(data, PLACES["qinv"], 1),
        "qinv is 0": put(data, "qinv", 0),
        "qinv is not below p": put(data, "qinv", inverse + key.p),
        "p q": changed(data, top_of_n, 128),
        "p and q of another key": put(data, "product", key.n + 2, 8 * MOST_LIMBS),
        "e is even": changed(data, PLACES["e"], 1),
    }


def bad_sizes(key: Key) -> dict[str, bytes]:
    """Return the words of a key with sizes that pairs do not take, by what is wrong with them."""
    data = key_words(key, limbs_of(key))
    found = {}
    for limbs in (0, 1, 8, 65, 1 << 31):
        both = put(put(data, "p.limbs", limbs, 4), "q.limbs", limbs, 4)
        found[f"{limbs} limbs"] = both
    for name in ("p", "q"):
        found[f"{name} is longer"] = changed(data, PLACES[f"{name}.limbs"], 1)
        for levels in (4, 5, 32):  # 4 halve 9 limbs too often
            found[f"{levels} levels of {name}"] = put(data, f"{name}.levels", levels, 4)
        whole = put(key_words(key, 32), f"{name}.levels", 5, 4)
        found[f"5 levels of {name}, of 32 limbs"] = whole
    return found


def check_refusals(program: Program, key: Key) -> None:
    """Raise Failure unless private_lanes refuses what it cannot take, leaves no result, and shows
    of a key only that it is bad.  p and q are below 2^287, the key has nine limbs."""
    largest = (1 << 2 * LIMB_BITS * limbs_of(key)) - 1
    for x in (key.n, key.n + 1, largest):
        refused(program, key, BAD_MESSAGE, f"x = {x:x}", x=x)
    for what, data in bad_sizes(key).items():
        refused(program, key, BAD_SIZE, what, data)
    for z in (X, X + 4, X - 4, MODULUS, MODULUS - 4, 0):
        refused(program, key, BAD_PLACE, f"z at {z:#x}", z=z)
    traces = set()
    for what, data in bad_keys(key).items():
        traces.add(refused(program, key, BAD_KEY, what, data).hash)
    if len(traces) > 1:
        raise Failure("private_lanes: a trace tells what is wrong with a key")


def refused(
    program: Program,
    key: Key,
    status: int,
    what: str,
    words: bytes | None = None,
    x: int = 12345,
    z: int = Z,
) -> State:
    """Return the trace of a call that is refused with this status.  Raises Failure."""
    program.put(Z, UNTOUCHED * 8 * MOST_LIMBS)
    found, left, trace = private(program, key, x, words, z)
    untouched = int.from_bytes(UNTOUCHED * 8 * limbs_of(key), "little")
    wanted = untouched if status in (BAD_SIZE, BAD_PLACE) else 0
    if found != status or left != wanted:
        raise Failure(f"private_lanes: {what}: status {found}, not {status}")
    return trace


def stand_in(bits: int, primes: Sequence[int], draw: random.Random) -> tuple[int, int]:
    """Return a number of so many bits for the place of a long prime, and what its exponents are
    modulo.

    A product of different short primes serves like a prime, and is found in a moment: where e d is
    1 modulo every prime less 1, x^(e d) = x modulo every prime."""
    while True:
        drawn = iter(draw.sample(primes, len(primes)))
        number = 1
        order = 1
        while number.bit_length() < bits - FACTOR_BITS[-1]:
            prime = next(drawn)
            number *= prime
            order *= prime - 1
        for prime in drawn:
            if (number * prime).bit_length() == bits:
                return number * prime, order * (prime - 1)


@cache
def factors() -> list[int]:
    """Return short primes, none of which is 1 modulo E: then E has an inverse modulo every order."""
    stream = Stream("factors of long numbers")
    primes = {stream.prime(bits) for bits in FACTOR_BITS for _ in range(10)}
    return sorted(prime for prime in primes if prime % E != 1)


def check_lengths(program: Program, draw: random.Random) -> None:
    """Raise Failure unless the private operation is right at LENGTHS, with q as long as p and with
    limbs of q that are 0."""
    for limbs in LENGTHS:
        bits = LIMB_BITS * limbs
        p_bits = draw.randint(bits - LIMB_BITS + 1, bits)
        zeros = draw.randrange(LIMB_BITS, bits // 2)
        for lengths in ((bits, bits), (p_bits, bits - zeros)):
            check_length(program, lengths, draw)


def check_length(
    program: Program, lengths: tuple[int, int], draw: random.Random
) -> None:
    """Raise Failure unless a private operation is right for p and q of these bits."""
    p, p_order = stand_in(lengths[0], factors()[0::2], draw)
    q, q_order = stand_in(lengths[1], factors()[1::2], draw)
    d = pow(E, -1, p_order * q_order)
    key = Key(p * q, E, d, p, q)
    words = key_words(key, limbs_of(key), (p_order, q_order))
    check_private(program, key, draw.randrange(key.n), words)


@cache
def short_primes() -> tuple[int, ...]:
    """Return primes of 288 bits, the shortest that pairs take: one trace takes a moment."""
    stream = Stream("primes of pairs")
    return tuple(stream.prime(288) for _ in range(40))


def short_key() -> Key:
    """Return a key of nine limbs, with room above p and q."""
    stream = Stream("a key of nine limbs")
    bits = LIMB_BITS * MIN_LIMBS - 2
    p = stream.prime(bits)
    q = stream.prime(bits)
    d = pow(E, -1, (p - 1) * (q - 1))
    return Key(p * q, E, d, p, q)


def traces_of_secrets(program: Program, count: int, draw: random.Random) -> set[int]:
    """Return the traces of private operations with `count` different keys.  Raises Failure."""
    traces = set()
    for _ in range(count):
        p, q = draw.sample(short_primes(), 2)
        phi = (p - 1) * (q - 1)
        key = Key(p * q, E, pow(E, -1, phi), p, q)
        traces.add(check_private(program, key, draw.randrange(key.n)).hash)
    return traces


# ---- everything


def rows(seed: int, secret_count: int) -> list[list[str]]:
    """Return the rows of counts.csv; every check has passed.  Raises Failure."""
    draw = random.Random(seed)
    found: list[list[str]] = [["step", "operation", "bits", "level", "instructions"]]
    for step in STEPS:
        longest = step.digits(max(step.sizes + step.edges))
        if step.signed and worst_sum(step, longest) >= 1:
            raise Failure(f"{step.program}: a column may overflow")
        program = Program(BUILT / "O3" / step.program)
        for (operation, bits), number in check(program, step, draw).items():
            if bits in step.sizes:
                found.append([step.program, operation, str(bits), "O3", str(number)])
    keys = read_keys()
    for level in LEVELS:
        program = Program(BUILT / level / "private")
        check_fault(program, keys[1024])
        check_refusals(program, short_key())
        check_lengths(program, draw)
        traces = traces_of_secrets(program, secret_count, draw)
        if len(traces) > 1:
            raise Failure(f"private_lanes: {secret_count} keys, {len(traces)} traces")
        print(f"  TRACE   {level}: {secret_count} secret keys, one trace", flush=True)
        for bits, number in check_keys(program, keys, draw).items():
            found.append(["private", "private", str(bits), level, str(number)])
    return found


def main(record: bool = False, secrets: int = 32) -> None:
    """Check, count and print.  Raises Failure and OSError."""
    seed = random.SystemRandom().getrandbits(32)
    head, *lines = rows(seed, secrets)
    print("\n".join(fitted(Table(head, lines), terminal_columns())))
    print(f"every result is right (seed {seed})")
    if record:
        lanes_page.write(lanes_page.COUNTS, [head, *lines])


if __name__ == "__main__":
    sys.exit(command("lanes", main))
