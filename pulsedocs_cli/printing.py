"""What commands show: JSON for programs with `--json`, lines and columns for people without.

Names, titles and quotes are other people's: no sign that acts on a terminal is shown as it is.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import click

Row = Mapping[str, Any]
_LONGEST_CELL: Final = 60
_ACTS: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff]"
)
"""Controls, of which sequences for terminals begin with one, what turns text around, and what makes
two names look alike; not what Persian, Hebrew and emoji need (`pulsedocs.model.shown`)."""

as_json = click.option("--json", "as_json", is_flag=True, help="JSON instead of lines.")
prints_json = click.option("--json", is_flag=True, expose_value=False, help="As it prints anyway.")


def text_of(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def harmless(text: str) -> str:
    """Return a text with what acts on a terminal written as JSON writes it: in JSON it is equal."""
    return _ACTS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    click.echo(harmless(str(text)), err=err, nl=nl)


def show(value: object) -> None:
    say(text_of(value))


def show_line(value: object) -> None:
    """Print JSON in one line, for readers of what comes bit by bit."""
    say(json.dumps(value, ensure_ascii=False, default=str))


def tell(line: object, told: Row, *, as_json: bool) -> None:
    """Print a line for people, or what it tells as JSON."""
    show(told) if as_json else say(line)


def show_rows(rows: Iterable[Row], columns: Sequence[str], *, as_json: bool) -> None:
    """Print rows as JSON, or their columns below each other; a long cell is cut."""
    listed = list(rows)
    if as_json:
        show(listed)
        return
    table = [list(columns), *([_cell(row.get(name)) for name in columns] for row in listed)]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    for cells in table:
        padded = (
            cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)
        )
        say("  ".join(padded).rstrip())


def _width(text: str) -> int:
    """Return how many places of a terminal a text takes: two for each wide letter of East Asia."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _cell(value: object) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, cast("list[object]", value)))
    text = "" if value is None else harmless(" ".join(str(value).split()))
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
