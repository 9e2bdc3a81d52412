"""SQL lies in files beside the code: one statement each, named for the rows it gives or changes."""

import re
from functools import cache
from importlib.resources import files
from typing import Final, LiteralString, cast

_COMMENT_LINES: Final = re.compile(r"^ *--.*\n", re.MULTILINE)


@cache
def query(name: str) -> LiteralString:
    """Return the statement in `queries/<name>.sql`, of its comments only the first line.

    The files ship with the package, so their text is as literal as if it stood in the source.
    psycopg parses anew, at each call, what is longer than 4,096 characters.
    """
    text = (
        files("pulsedocs.adapters.postgres").joinpath("queries", f"{name}.sql").read_text("utf-8")
    )
    first, _, rest = text.partition("\n")
    return cast("LiteralString", f"{first}\n{_COMMENT_LINES.sub('', rest)}")
