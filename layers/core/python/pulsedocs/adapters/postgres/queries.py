"""SQL lies in files beside the code: one file a store, each statement under its name.

A statement begins with `-- name: take_fence`. Names are unique in the package, so that a plan, a
log and a test can speak of a statement by its name alone. What several statements say is a part,
`-- part: waits_for_vector`, and stands where they have the line `-- include: waits_for_vector`.

Of one with `(kept)` behind its name a connection keeps the plan: it finds its rows by their key,
in one way whoever asks. Planning takes longer than that.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, LiteralString, cast

_NAME: Final = re.compile(r"^-- (name|part): (\w+)( \(kept\))?\n", re.MULTILINE)
_INCLUDED: Final = re.compile(r"^ *-- include: (\w+)\n", re.MULTILINE)
_COMMENT_LINES: Final = re.compile(r"^ *--.*\n", re.MULTILINE)


def query(name: str) -> LiteralString:
    """Return a statement, of its comments only the first line.

    The files ship with the package, so their text is as literal as if it stood in the source.
    psycopg parses anew, at each call, what is longer than 4,096 characters: 0.01 to 0.05 ms.
    """
    return statements()[name]


@cache
def statements() -> Mapping[str, LiteralString]:
    """Return every statement by its name. Raises ValueError where two have the same."""
    texts: dict[str, dict[str, str]] = {"name": {}, "part": {}}
    for kind, name, _, text in _written():
        if name in texts[kind]:
            raise ValueError(f"two statements are called {name!r}")
        texts[kind][name] = text.strip("\n") + "\n"
    found: dict[str, LiteralString] = {}
    for name, text in texts["name"].items():
        whole = _INCLUDED.sub(lambda line: texts["part"][line[1]], text)
        first, _, rest = whole.strip().partition("\n")
        found[name] = cast("LiteralString", f"{first}\n{_COMMENT_LINES.sub('', rest)}")
    return found


@cache
def kept_statements() -> frozenset[str]:
    """Return the texts of those whose plan a connection keeps."""
    return frozenset(query(name) for _, name, is_kept, _ in _written() if is_kept)


def _written() -> Iterator[tuple[str, str, str, str]]:
    """Yield the kind, the name, the mark and the text of all that the files hold."""
    for file in _files(files("pulsedocs.adapters.postgres")):
        _, *named = _NAME.split(file.read_text("utf-8"))
        yield from zip(named[::4], named[1::4], named[2::4], named[3::4], strict=True)


def _files(folder: Traversable) -> Iterator[Traversable]:
    for item in folder.iterdir():
        if item.is_dir() and item.name != "migrations":
            yield from _files(item)
        elif item.name.endswith(".sql"):
            yield item
