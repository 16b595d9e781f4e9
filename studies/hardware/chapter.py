"""What this study brings to the report: the numbers of its units."""

from rsalab.chapter import Chapter
from studies.hardware import hardware

CHAPTER = Chapter(facts=hardware.values)
