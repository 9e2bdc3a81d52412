"""SQL lies in files beside the code: one statement each, named for the rows it gives or changes."""

from functools import cache
from importlib.resources import files
from typing import LiteralString, cast


@cache
def query(name: str) -> LiteralString:
    """Return the statement in `queries/<name>.sql`.

    The files ship with the package, so their text is as literal as if it stood in the source.
    """
    text = (
        files("pulsedocs.adapters.postgres").joinpath("queries", f"{name}.sql").read_text("utf-8")
    )
    return cast("LiteralString", text)
