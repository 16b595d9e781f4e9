"""What this study brings to the report: how far every program is from the floor."""

from rsalab.chapter import Chapter
from studies.limit import floor, private

CHAPTER = Chapter(
    charts={"floor": floor.chart, "private": private.chart},
    columns={
        "floor": floor.share_of_floor,
        "GMP/this": floor.against_gmp,
    },
)
