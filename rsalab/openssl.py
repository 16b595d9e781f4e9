"""What openssl.csv says: RSA operations of OpenSSL with our Montgomery product, and without."""

from collections.abc import Sequence
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from harness.counts import arm1176
from records import results
from records.faults import Failure
from records.ladder import ROOT
from records.machine import is_imported
from records.published import read_csv
from records.results import Results
from records.tables import factor, percent, whole
from records.workload import RSA_SIZES
from rsalab import markdown

FILE = "openssl.csv"
SIZES = RSA_SIZES
PUBLISHED = "openssl-arm-runs.csv"
CLOCK = 1_000_000_000  # Hz, a Pi Zero's
OPERATIONS = ("sign", "verify")
# Row's name -> build, what the driver is told of NEON, title, name in the published table.
COLUMNS = {
    "ours": ("ours", "1", "bn_mul_mont.S", "new assembly"),
    "assembly": ("assembly", "1", "OpenSSL's own assembly", "OpenSSL assembly"),
    "neon": ("assembly", "0", "OpenSSL's own assembly, with NEON", ""),
    "c": ("c", "1", "OpenSSL's own C", "OpenSSL C"),
}
OURS, THEIRS, C = "ours", "assembly", "c"
MIDDLE = range(2048, 4097)  # bits; where arithmetic is almost all that an operation does
MISSING = "OpenSSL's operations are not counted here; `make openssl-speed` counts them"


class Count(NamedTuple):
    """Of one operation."""

    instructions: int
    multiplies_long: int
    multiplies_umaal: int

    @property
    def cycles(self) -> float:
        """By the model of an ARM1176."""
        return arm1176(self.instructions, self.multiplies_long + self.multiplies_umaal)

    @property
    def seconds(self) -> float:
        """The same on a Pi Zero."""
        return self.cycles / CLOCK


Counts = dict[tuple[str, str, int], Count]  # implementation, operation, bits


def published(root: Path = ROOT) -> dict[tuple[str, int, str], float]:
    """(published name, bits, operation) -> seconds: elapsed time over
    operations.  The source's summary has the same numbers, but not 15360
    bits.  Raises Failure."""
    operations = {"private": "sign", "public": "verify"}
    times = {}
    for row in read_csv(PUBLISHED, root):
        place = row["implementation"], int(row["bits"]), operations[row["operation"]]
        times[place] = float(row["elapsed_s"]) / int(row["number"])
    return times


def load(found: Results) -> Counts:
    """Every operation that results have."""
    rows = found.query("select * from rsa")
    return {(name, what, bits): Count(*numbers) for name, what, bits, *numbers in rows}


def committed(root: Path = ROOT) -> Counts:
    """The operations that were counted here for the record; empty where
    none were.  Raises Failure."""
    for path in sorted(root.glob(f"results/qemu-*/{FILE}")):
        if not is_imported(path.parent):
            return load(results.load(path.parent, root, counted=False))
    return {}


def sizes(counts: Counts) -> list[int]:
    """The bits of which every operation was counted with every implementation."""
    wanted = [(name, what) for name in COLUMNS for what in OPERATIONS]
    return [bits for bits in SIZES if all((*place, bits) in counts for place in wanted)]


def measured(found: Results) -> Counts:
    """The operations that results have.  Raises Failure where they have none."""
    if sizes(counts := load(found)):
        return counts
    raise Failure(f"{found.label}: {MISSING}")


# --- tables ---------------------------------------------------------------------------------------


def instructions(counts: Counts) -> str:
    """A row for each operation and size: instructions by implementation, and factors."""
    titles, rows = [column[2] for column in COLUMNS.values()], []
    for what, bits in product(OPERATIONS, sizes(counts)):
        of = [counts[name, what, bits].instructions for name in COLUMNS]
        rows.append([what, str(bits), *map(whole, of), *(factor(n / of[0]) for n in of[1:])])
    head = ["operation", "bits", *titles, *(f"{title} / ours" for title in titles[1:])]
    return markdown.table(head, rows)


def by_model(counts: Counts, name: str, bits: int, root: Path) -> list[tuple[float, float]]:
    """(published, modelled) milliseconds of each operation; of ours beside
    the source's own assembly."""
    theirs, source = published(root), COLUMNS[name][3]
    pairs = [(theirs[source, bits, what], counts[name, what, bits].seconds) for what in OPERATIONS]
    return [(1000 * measured, 1000 * modelled) for measured, modelled in pairs]


def validation(counts: Counts, root: Path = ROOT) -> str:
    """The range of the model's errors for OpenSSL's own assembly and C."""
    every, rows = sizes(counts), []
    spans = [some for some in ([bits for bits in every if bits in MIDDLE], every) if some]
    for name in (THEIRS, C):
        rows.append([COLUMNS[name][2]])
        for some in spans:
            pairs = [pair for bits in some for pair in by_model(counts, name, bits, root)]
            errors = [modelled / measured - 1 for measured, modelled in pairs]
            rows[-1].append(percent(min(errors), max(errors)))
    heads = (f"error, {some[0]} to {some[-1]} bits" for some in spans)
    return markdown.table(["implementation", *heads], rows)


def times(counts: Counts, root: Path = ROOT, names: Sequence[str] = (THEIRS, C)) -> str:
    """Published milliseconds of an implementation on a Pi Zero W, the
    model's, and their ratio; of ours beside the source's own assembly."""
    rows = []
    for name, bits in product(names, sizes(counts)):
        rows.append([COLUMNS[name][2], str(bits)])
        for there, modelled in by_model(counts, name, bits, root):
            rows[-1] += [f"{there:,.3f}", f"{modelled:,.3f}", factor(there / modelled)]
    heads = ([f"{what}, ms", "by model", "published / model"] for what in OPERATIONS)
    return markdown.table(["implementation", "bits", *chain(*heads)], rows)
