"""The private operation of RSA with 2,048 bits: our programs and the libraries, above the floor.

Ours and OpenSSL's are whole operations.  Of the other libraries two powers of 1,024 bits are known
(studies/limit/peers): what is around them is left out.
"""

import pandas as pd
from matplotlib.axes import Axes

from records.results import Results
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing
from studies.limit.floor import BY_CRT, floor, marks

BITS = 2048
# What the chart calls a program of the view.
NAMES = {
    ("long", "plain"): "width-1024, C",
    ("long", "assembly"): "width-1024, umaal",
    ("long", "lanes"): "width-1024, lanes",
    ("openssl", "c"): "OpenSSL, C",
    ("openssl", "assembly"): "OpenSSL, its assembly",
    ("openssl", "neon"): "OpenSSL, its NEON",
    ("openssl", "ours"): "OpenSSL with umaal",
    ("openssl", "lanes"): "OpenSSL with lanes",
}


def programs(results: Results) -> pd.DataFrame:
    """Return the view `private_operations` of BITS bits, the least instructions first, with the
    `name` of each program and its instructions in `millions`."""
    every = results.frame("private_operations")
    rows = every[every["bits"] == BITS].sort_values("instructions")
    names = []
    for kind, program in zip(rows["kind"], rows["program"]):
        names.append(NAMES.get((kind, program), f"{program}, two powers"))
    return rows.assign(name=names, millions=rows["instructions"] / 1e6)


def dots(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the frame `programs`: a line for each program, on it a mark for each kind of time, and
    the multiplications of the floor, one an instruction and two an instruction."""
    marks(axes, rows, "name", "millions", lambda number: f"{number:.2f}")
    one_lane = floor(BITS, BY_CRT) / 1e6
    for lanes in (1, 2):
        axes.axvline(one_lane / lanes, color=GREY, linewidth=1, linestyle=":")
    axes.set_xlabel(
        "millions of instructions; dotted: the floor, for two lanes and for one"
    )
    picture.numbers(axes, "x", lambda number: f"{number:,.0f}")
    axes.legend(title="time", loc="upper right")


def chart(results: Results) -> Chart:
    """Draw the instructions of a private operation of every program."""
    rows = programs(results)
    answer = "It is not counted here."
    for _, first in rows.head(1).iterrows():
        answer = f"{first['millions']:.2f} million instructions: {first['name']}"
    caption = (
        f"{results.platform}, {results.compiler}; RSA of {BITS:,} bits, the private operation by the Chinese"
        " remainder theorem, C at -O3. OpenSSL: a signature, blinded. Other libraries: two powers of half"
        " the length, without what is around them (studies/limit/peers)."
    )
    question = "What does a private operation cost?"
    with drawing("private", question, answer, caption, (7.5, 5.5)) as (chart, axes):
        if not rows.empty:
            dots(axes, rows)
    return chart
