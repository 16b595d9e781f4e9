"""What make, Python and the pages read alike: the optimisation levels and the compilers.

levels.csv has a line for each level that the compilers know: whether it is
measured (`yes`, `no`), its colour in charts, on light and on dark pages, its
marker and hatch in charts, and the shape of its marker on pages, a path of SVG.

toolchains.csv has a line for each compiler that can be asked for by a word, as
in `make all-iterations CC=clang`: the word, the command, the prefix of the
binary utilities that belong to it, and the options that name the architecture.
The version is the compiler's own answer.

options.csv has a line for each option of a compiler that distributions decide differently: whether
make states it (`yes`), or it changes no code (`no`), and the reason.

cores.csv has a line for each core whose cycles are recorded, in results/core-CORE: what texts call
it, whether its cycles are exact or a model's, whether it is the model that texts show (`yes`, `no`),
and its marker and colours in charts; nothing where a core only serves as a control.

kinds.csv has a line for each class of instructions (harness/plugin/a32.h): its kind, and what is
usual of the class.
"""

from typing import NamedTuple

from records.faults import Failure
from records.typed import HERE, Keyed, read_table


class Level(NamedTuple):
    """An optimisation level, `O1`, and how it is drawn."""

    level: str
    measured: str
    colour: str
    dark: str
    marker: str
    hatch: str
    shape: str


class Core(NamedTuple):
    """A core whose cycles are recorded; `kind` is `exact` or `model`."""

    core: str
    label: str
    kind: str
    headline: str
    marker: str
    colour: str
    dark: str


class Toolchain(NamedTuple):
    """A compiler: the word for it, its command, the prefix of its binary
    utilities, and the options that say for which architecture it compiles."""

    word: str
    command: str
    prefix: str
    architecture: str


LEVEL_TABLE = [Level(**row) for row in read_table(HERE / "levels.csv")]
EVERY_LEVEL = tuple(row.level for row in LEVEL_TABLE)  # that the compilers have
# The levels of the reference.
LEVELS = tuple(row.level for row in LEVEL_TABLE if row.measured == "yes")
if not LEVELS:
    raise Failure("records/levels.csv: measured: expected yes in some line; found none")
TOOLCHAIN_TABLE = [Toolchain(**row) for row in read_table(HERE / "toolchains.csv")]
BY_WORD = Keyed(
    "records/toolchains.csv",
    {toolchain.word: toolchain for toolchain in TOOLCHAIN_TABLE},
)
USUAL_TOOLCHAIN = BY_WORD["gcc"]  # where no other is named
# What a compiler may do unasked.
HARMLESS = frozenset(
    row["option"] for row in read_table(HERE / "options.csv") if row["stated"] == "no"
)
CORE_TABLE = [Core(**row) for row in read_table(HERE / "cores.csv")]
CLASS_TABLE = read_table(HERE / "kinds.csv")
# The kinds of instructions, in the order in which tables have them.
KINDS = tuple(dict.fromkeys(row["kind"] for row in CLASS_TABLE))
