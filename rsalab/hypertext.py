"""HTML from Jinja's templates, which escape every text but one that is `safe`: HTML already."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError

from records.ladder import ROOT
from rsalab.templates import UnknownName

HTML = Environment(
    loader=FileSystemLoader(ROOT),
    undefined=StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def rendered(path: Path, **values: object) -> str:
    """Return an HTML template with these values in its places.  Raises UnknownName for a place that
    has no value."""
    name = path.resolve().relative_to(ROOT).as_posix()
    try:
        return HTML.get_template(name).render(values)
    except UndefinedError as fault:
        raise UnknownName(f"{name}: {fault}") from None
