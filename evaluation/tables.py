"""Which values of tables are read under their row and column: `python -m evaluation.tables`.

Statements, plans and shares are made, in PDF with rules and without, over a page break, in HTML and
in Markdown; what is read of them is compared with what was written. A value counts if it stands in
the row of its label, in a column whose name says what was written above it.
"""

import io
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table

from pulsedocs.cleaning import clean
from pulsedocs.extraction import PDF, Budgets
from pulsedocs.extraction.reading import open_file
from pulsedocs.model.tables import cells_of, heads_in, names_of

_ITEMS: Final = (
    "Net sales",
    "Cost of sales",
    "Selling and administration",
    "Research and development",
    "Interest paid",
    "Taxes on income",
    "Other income, net",
    "Income of joint ventures",
)
_CARE: Final = ("Office visit", "Urgent care", "Eye test", "Hearing aid", "Night in hospital")
_COVER: Final = ("Covered in full", "Not covered", "40 crowns a visit", "Half of what it costs")
_LONG: Final = "Half of what it costs, up to 900 crowns a year, after the first visit"
_PROSE: Final = "The figures below were looked through by two people, who signed them in spring."
_GRID: Final = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
_RULES: Final = [("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)]
_TOP: Final = [("VALIGN", (0, 0), (-1, -1), "TOP")]
_RIGHT: Final = [("ALIGN", (1, 0), (-1, -1), "RIGHT")]
_LEFT: Final = [("ALIGN", (1, 1), (-1, -1), "RIGHT")]  # the names begin where the columns do

Rows = list[list[str]]


def statement(seed: int, *, times: int = 1) -> Rows:
    """Return a statement of three years: names of the columns, then a label and figures a row."""
    chance = random.Random(seed)
    rows = [["(in millions)", "2033", "2032", "2031"]]
    for again in range(times):
        for item in _ITEMS:
            figures = (chance.randint(-900, 90_000) for _ in range(3))
            shown = [f"({-each:,})" if each < 0 else f"{each:,}" for each in figures]
            rows.append([item if times == 1 else f"{item} {again + 1}", *shown])
    return rows


def plan(seed: int) -> Rows:
    chance = random.Random(seed)
    rows = [["Care", "Plan A", "Plan B", "Outside the network"]]
    rows += [[care, *(chance.choice((*_COVER, _LONG)) for _ in range(3))] for care in _CARE]
    return rows


def shares(seed: int) -> Rows:
    """Return shares by half year, which end in a sign of percent; some are in brackets."""
    chance = random.Random(seed)
    rows = [["Share", "2033 H1", "2033 H2", "2032 H1", "2032 H2"]]
    for item in _ITEMS[:5]:
        figures = (chance.randint(-300, 990) / 10 for _ in range(4))
        rows.append([item, *(f"({-each})%" if each < 0 else f"{each}%" for each in figures)])
    return rows


def stacked(rows: Rows) -> tuple[Rows, list[Any]]:
    """Return a table whose names are parted in two lines, and where the upper ones reach."""
    years, halves = zip(*(name.split() for name in rows[0][1:]), strict=True)
    above = [rows[0][0], *("" if at % 2 else year for at, year in enumerate(years))]
    reach = [("SPAN", (at, 0), (at + 1, 0)) for at in range(1, len(above), 2)]
    return [above, ["", *halves], *rows[1:]], [("ALIGN", (1, 0), (-1, 0), "CENTER"), *reach]


def stacked_html(rows: Rows) -> bytes:
    (first, *years), (_, *halves), *body = stacked(rows)[0]
    above = "".join(f"<th colspan=2>{year}</th>" for year in years if year)
    below = "".join(f"<th>{half}</th>" for half in halves)
    heads = f"<tr><th rowspan=2>{first}</th>{above}</tr><tr>{below}</tr>"
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body)
    return (
        f"<p>{_PROSE}</p><table>{heads}{''.join(f'<tr>{line}' for line in lines)}</table>".encode()
    )


def pdf_of(rows: Rows, style: Sequence[Any]) -> bytes:
    normal = getSampleStyleSheet()["Normal"]
    cells = [[Paragraph(cell, normal) if len(cell) > 40 else cell for cell in row] for row in rows]  # noqa: PLR2004 -- wraps
    width = 330 / (len(rows[0]) - 1)
    table = Table(cells, colWidths=[150, *[width] * (len(rows[0]) - 1)], style=[*style])
    target = io.BytesIO()
    flow: list[Flowable] = [Paragraph(_PROSE, normal), table, Paragraph(_PROSE, normal)]
    SimpleDocTemplate(target, invariant=1).build(flow)
    return target.getvalue()


def html_of(rows: Rows) -> bytes:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<p>{_PROSE}</p><table>{table}</table>".encode()


def markdown_of(rows: Rows) -> bytes:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    return "\n".join((_PROSE, "", *lines)).encode()


KINDS: Final[Mapping[str, tuple[str, Callable[[int], Rows], Callable[[Rows], bytes]]]] = {
    "statement, PDF, no rules": (PDF, statement, lambda rows: pdf_of(rows, _RIGHT)),
    "statement, PDF, one rule": (PDF, statement, lambda rows: pdf_of(rows, [*_RIGHT, *_RULES])),
    "statement, PDF, ruled": (PDF, statement, lambda rows: pdf_of(rows, _GRID)),
    "statement, PDF, no rules, names at the left": (
        PDF,
        statement,
        lambda rows: pdf_of(rows, _LEFT),
    ),
    "statement, PDF, over three pages": (
        PDF,
        lambda seed: statement(seed, times=12),
        lambda rows: pdf_of(rows, _RIGHT),
    ),
    "plan, PDF, ruled": (PDF, plan, lambda rows: pdf_of(rows, _GRID)),
    "plan, PDF, no rules": (PDF, plan, lambda rows: pdf_of(rows, _TOP)),
    "shares, PDF, no rules, two lines of heads": (
        PDF,
        shares,
        lambda rows: pdf_of(stacked(rows)[0], [*_RIGHT, *stacked(rows)[1]]),
    ),
    "shares, PDF, ruled, two lines of heads": (
        PDF,
        shares,
        lambda rows: pdf_of(stacked(rows)[0], [*_GRID, *stacked(rows)[1]]),
    ),
    "shares, HTML, two lines of heads": ("text/html", shares, stacked_html),
    "plan, HTML": ("text/html", plan, html_of),
    "statement, HTML, over three pages": (
        "text/html",
        lambda seed: statement(seed, times=24),
        html_of,
    ),
    "plan, Markdown": ("text/markdown", plan, markdown_of),
}


def share(rows: Rows, body: bytes, content_type: str) -> float:
    """Return which share of the values is read under its label and the name of its column."""
    pages = open_file(body, content_type=content_type, budgets=Budgets()).pages()
    text = "\n".join(page.text for page in clean(list(pages)))
    read = set(placed(text))
    wanted = [
        (row[0], name, value)
        for row in rows[1:]
        for name, value in zip(rows[0][1:], row[1:], strict=True)
    ]
    return sum(each in read for each in wanted) / len(wanted)


def placed(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield label, name of the column and value of each cell of a text's tables."""
    for table in heads_in(text):
        names = names_of(text[table.start : table.end])
        for line in text[table.end : table.rows_end].splitlines():
            label, *values = cells_of(line)
            yield from ((label, *pair) for pair in zip(names[1:], values, strict=False))


def measure(seeds: Sequence[int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for kind, (content_type, rows_of, write) in KINDS.items():
        tables = [rows_of(seed) for seed in seeds]
        shares = [share(rows, write(rows), content_type) for rows in tables]
        found[kind] = round(sum(shares) / len(shares), 4)
    return found


def main() -> int:
    for kind, figure in measure(range(12)).items():
        print(f"{kind:<44} {figure:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
