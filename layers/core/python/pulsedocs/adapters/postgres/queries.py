"""SQL lies in files beside the code: one file a store, each statement under its name.

A statement begins with `-- name: take_fence`. Names are unique in the package, so that a plan, a
log and a test can speak of a statement by its name alone.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, LiteralString, cast

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COMMENT_LINES: Final = re.compile(r"^ *--.*\n", re.MULTILINE)


def query(name: str) -> LiteralString:
    """Return a statement, of its comments only the first line.

    The files ship with the package, so their text is as literal as if it stood in the source.
    psycopg parses anew, at each call, what is longer than 4,096 characters.
    """
    return statements()[name]


@cache
def statements() -> Mapping[str, LiteralString]:
    """Return every statement by its name. Raises ValueError where two have the same."""
    found: dict[str, LiteralString] = {}
    for file in _files(files("pulsedocs.adapters.postgres")):
        _, *named = _NAME.split(file.read_text("utf-8"))
        for name, text in zip(named[::2], named[1::2], strict=True):
            if name in found:
                message = f"two statements are called {name!r}"
                raise ValueError(message)
            first, _, rest = text.strip().partition("\n")
            found[name] = cast("LiteralString", f"{first}\n{_COMMENT_LINES.sub('', rest)}")
    return found


def _files(folder: Traversable) -> Iterator[Traversable]:
    for item in folder.iterdir():
        if item.is_dir() and item.name != "migrations":
            yield from _files(item)
        elif item.name.endswith(".sql"):
            yield item
