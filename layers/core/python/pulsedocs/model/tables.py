"""Rows of tables in a text: a line a row, its cells parted by bars, below the names of columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, pairwise, takewhile, zip_longest
from typing import Final

from pulsedocs.model.calendar_names import MONTHS, WEEKDAYS
from pulsedocs.model.currencies import CURRENCY_SIGNS
from pulsedocs.model.years import YEAR

BAR: Final = " | "
"""Between the cells of a row, where the file says what a cell is."""
BROKEN_BAR: Final = "\u00a6"
"""For a bar that a cell has itself: the others part cells."""
LONGEST_HEADS: Final = 300  # characters; longer ones are rows of text
LONGEST_REPEATED: Final = 60  # characters; what is longer names no row and no column
MOST_COLUMNS: Final = 50  # that a cell may reach over
MOST_ROWS: Final = 1_000

CAPTION: Final = re.compile(
    r"(?:tab(?:l[ae]s?|leaux?|ela?|ell[ae]n?)?|fig(?:ur|uras?|ures?)?|abb(?:ildung(?:en)?)?)"
    r"\.?\s(?:\d+(?:[-.]\d+)*|[IVX]+)(?:\s?[.:\u2013\u2014]|$)",
    re.IGNORECASE,
)
"""How the caption of a table or a figure begins; "Table 3" may stand alone on its line."""

_MOST_HEADS: Final = 4  # lines
_ROWS_SEEN: Final = 8  # that tell what the first ones are
_BETWEEN_CELLS: Final = re.compile(r" \|(?= )")
_PERIOD: Final = re.compile(
    r"(?:19|20)\d\d(?:\s?[/\u2013-]\s?\d{2,4}|\s?(?:[QH][1-4]|[1-4][QH]))?"  # 2031/32, 2031 Q1
    r"|\d{1,2}\.?\s[^\W\d]+\.?,?\s(?:19|20)\d\d"  # 30 June 2031
    r"|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}"
    r"|[1-4](?:st|nd|rd|th|\.)?\s?(?:[QH]|quarter|half|Quartal|Halbjahr)(?:\s(?:19|20)\d\d)?",
    re.IGNORECASE,
)
_OF_A_PERIOD: Final = re.compile(  # 2031 planned, 2031 $000, 30 June 2031 (EUR m)
    rf"(?:{_PERIOD.pattern})\s\(?(?:[^\W\d]|[{CURRENCY_SIGNS}])", re.IGNORECASE
)
_YEARS_APART: Final = 10  # of two columns, at most: a census
_DAY: Final = re.compile(
    r"((?:19|20)\d\d)-(\d\d)-(\d\d)"  # 2031-06-30
    r"|(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)?"  # 30.6. or 30.06.2031
)
_DAY_OF_MONTH: Final = re.compile(r"(\d{1,2})\.?\s([^\W\d_]{3,})\.?(?:,?\s(?:19|20)\d\d)?")
_LEAP_YEAR: Final = 2000  # has all days, for those that name no year
_SHORTEST_MONTH: Final = 28  # days
_DAYS_APART: Final = 7  # of two columns, at most
_VERSION: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,2}")
_WEEKDAY: Final = re.compile("|".join(WEEKDAYS), re.IGNORECASE)
_NO_VALUES: Final = frozenset({"n/a", "na", "nil", "none", "keine", "k. a.", "k.a."})
_NUMBER: Final = re.compile(r"\d+")
_COUNTER: Final = re.compile(r"\d+|\b[A-Z]\b")
"""What tells rows from each other that are called alike: "Tram 3", "Team A"."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_SAID: Final = re.compile(rf"{_LETTER.pattern}|[\u2611\u2612\u2713-\u2718]")  # or ticked
_FIGURE: Final = re.compile(
    rf"(?![{CURRENCY_SIGNS}]000\b)"  # what figures are counted in
    rf"[{CURRENCY_SIGNS}]?\s?[-+(\u2212\u2013]?\s?[{CURRENCY_SIGNS}]?\s?\d"
)


_KIND: Final = re.compile(
    r"(?P<day>(?:19|20)\d\d-\d\d-\d\d\b|\d{1,2}[./]\s?\d{1,2}[./]\s?(?:19|20)\d\d\b"
    r"|\d{1,2}\.?\s[^\W\d_]{3,9}\.?\s(?:19|20)\d\d\b)"
    r"|(?P<clock>\d{1,2}:\d\d\b(?!\s?(?:h|min|Std)\b))"
    r"|(?P<telephone>\(?[+0][\d()]*[\d ()/-]{6,}$)"
    rf"|(?P<sum>.*(?:[{CURRENCY_SIGNS}]|\b(?:euros?|EUR|CHF|USD|GBP|dollars?|pounds?|francs?)\b))"
    r"|(?P<measure>\d[\d.,:]*\s?(?:[^\W\d]|\u00b0))"
    r"|(?P<number>)",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"[^\W\d_]{1,6}[-/ ]?(?!(?:19|20)\d\d$)\d{3,}(?:[-/]\w+)*|[^,]+(?:, [^,]+){2,}"
)
"""What is said of one thing: a code with a number of three digits or more, or several things."""
_SENTENCE: Final = re.compile(
    r"(?:\S+\s+){3,}\S*[^\W\d_]{3}[\u201d\u2019\")]?[.!][\u201d\u2019\")]?"
)
"""Four words or more with a full stop; "Is it covered?" may be a column's name."""
_OF_ONE_COLUMN: Final = ({"number", "sum"}, {"number", "measure"}, {"number", "day"})
"""Kinds that a column may mix: of parts, 24 screws and 10 m of cable; of dates, years alone."""


@dataclass(frozen=True, slots=True)
class Heads:
    """A table from the first character of its heads to the end of its last row."""

    start: int
    end: int
    rows_end: int


def has_cells(line: str) -> bool:
    """Return whether bars part a line into cells, as those of Markdown and HTML tables are."""
    return BAR in f" {line.strip()} "


def cells_of(line: str) -> tuple[str, ...]:
    """Return the cells of a row, the empty ones too.

    >>> cells_of("Oil | | 3"), cells_of("| 2031 |")
    (('Oil', '', '3'), ('', '2031', ''))
    """
    return tuple(" ".join(cell.split()) for cell in _BETWEEN_CELLS.split(f" {line.strip()} "))


def names_of(heads: str) -> tuple[str, ...]:
    r"""Return what each column is called; in further lines more nearly.

    >>> names_of("Item | 2031 | | 2030 |\n| Q1 | Q2 | Q1 | Q2")
    ('Item', '2031 Q1', '2031 Q2', '2030 Q1', '2030 Q2')
    """
    *above, last = (cells_of(line) for line in heads.split("\n"))
    lines = [_said_of_each(line, last) for line in above]
    columns = zip_longest(*lines, last, fillvalue="")
    return tuple(" ".join(filter(None, dict.fromkeys(column))) for column in columns)


def _said_of_each(names: Sequence[str], below: Sequence[str]) -> Iterator[str]:
    """Yield names, and in the place of an empty one that before it, where it is divided below."""
    before = ""
    for at, name in enumerate(names):
        before = name or (before if at > 1 and below[at : at + 1] != ("",) else "")
        yield before


def heads_among(rows: Sequence[str]) -> int:
    """Return how many of a table's first rows name its columns.

    More than one do where a row parts names that reach over columns, or says nothing of the rows
    but of the columns, such as what the figures are counted in.
    """
    count = int(names_columns(rows))
    while 0 < count < min(_MOST_HEADS, len(rows)):
        above, below = cells_of(rows[count - 1]), cells_of(rows[count])
        is_over_figures = any(map(is_figure, chain(*map(cells_of, rows[count + 1 : count + 3]))))
        is_parted = _is_parted(above, below)
        has_no_label = not below[0] or below[0] == above[0]
        if has_no_label and not (is_over_figures or is_parted):
            break
        if not has_no_label and not (is_over_figures and is_parted):
            break
        if not names_columns(rows[count:]):
            break
        count += 1
    return count


def _is_parted(above: Sequence[str], below: Sequence[str]) -> bool:
    """Say whether a name reaches over several below: it comes again, or leaves a place empty."""
    comes_again = any(one and one == other for one, other in pairwise(above))
    return comes_again or any(
        name and not over for over, name in zip(above[2:], below[2:], strict=False)
    )


def names_columns(rows: Sequence[str]) -> bool:
    """Say whether the first of a table's rows names its columns: no figures, or only such of time.

    Years of a head go up or down in equal steps, days up; a row of figures may look like years.
    """
    first = cells_of(rows[0])
    below = [cells_of(row) for row in rows[1:] if has_cells(row)]
    is_label = sum(map(bool, first)) < len("ab") and any(first[:1])
    if is_label or not below or _is_row(first, below):
        return False
    figures = [cell for cell in first if is_figure(cell)]
    rows_of_figures = ([cell for cell in row if is_figure(cell)] for row in below)
    beneath = next(filter(None, rows_of_figures), list[str]())
    are_days = _are_days(figures) and not all(map(_DAY.fullmatch, beneath or [""]))
    if are_days or not figures or _are_versions(first, below):
        return True
    return not all(map(_PERIOD.fullmatch, beneath)) and _name_columns(figures, beneath)


def _is_row(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether the first row of a table is one like those below it."""
    is_pair = len(first) == len("ab") and _are_pairs(first, below)
    is_like = _are_counted(first, below) or _is_called_alike(first, below)
    return is_pair or is_like or _are_sentences(first, below)


def _name_columns(figures: Sequence[str], beneath: Sequence[str]) -> bool:
    """Say whether figures name the columns of those beneath: periods, trips, steps."""
    years = [cell for cell in figures if YEAR.fullmatch(cell)]
    if all(map(_PERIOD.fullmatch, figures)):
        return are_years([*dict.fromkeys(years)])
    are_trips = _kinds_of(figures) == {"number"} and _kinds_of(beneath) == {"clock"}
    is_of_periods = all(map(_OF_A_PERIOD.match, figures))
    has_measures = any(map(_LETTER.search, beneath))
    return not has_measures and (are_trips or is_of_periods or _are_steps(figures))


def _are_counted(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether a column differs in its numbers alone, from its first row: "Step 1", "Step 2"."""
    return any(
        _NUMBER.search(column[0]) is not None
        and not is_figure(column[0])
        and len({_NUMBER.sub("", cell) for cell in column}) == 1
        for column in zip(first, *below, strict=False)
    )


def _are_sentences(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether a column has sentences from its first row on: a key and all that it does."""
    columns = zip_longest(first, *below, fillvalue="")
    told = ([_SENTENCE.fullmatch(cell) is not None for cell in column] for column in columns)
    return any(is_told and 2 * sum(rows) >= len(rows) for is_told, *rows in told)


def _is_called_alike(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether a row is called like one below it: May over June, "Tram 3" over "Tram 5".

    One that says the same of its columns is a head again: of 31 December of another year.
    """
    name = first[0]
    others = [row[0] for row in below if row[0] != name and row[1:] != first[1:]]
    for of_time in (_WEEKDAY.match, _is_month):
        if of_time(name):
            return any(map(of_time, others))
    called = _COUNTER.sub("", name)
    is_counted = bool(called.strip()) and called != name and not is_figure(name)
    return is_counted and any(_COUNTER.sub("", other) == called for other in others)


def _is_month(cell: str) -> bool:
    return cell.lower() in MONTHS or cell.lower() == "may"


def _are_pairs(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether rows of two cells are a name and its value each, which no head is said of.

    Figures amid more words, or of kinds that stand in no column: a time, a rent, an area. Nor is a
    column called by a code or by three things with commas between: "INV-0871", "tar, oil, rope".
    """
    if first[0].endswith(":") or _VALUE.fullmatch(first[1]):
        return True
    values = [row[1] for row in below if row[1:] and row[1]]
    figures = [value for value in values if is_figure(value)]
    kinds = _kinds_of(figures)
    is_mixed = len(kinds) > 1 and kinds not in _OF_ONE_COLUMN
    return (is_mixed and not is_figure(first[1])) or 0 < len(figures) < len(values) - len(figures)


def _kinds_of(figures: Sequence[str]) -> set[str | None]:
    return {found.lastgroup for figure in figures if (found := _KIND.match(figure))}


def _are_versions(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Say whether a row names versions, in order, over words: what 1.0, 1.2 and 2.0 support."""
    if is_figure(first[0]) or not all(map(_VERSION.fullmatch, first[1:])):
        return False
    versions = [[int(part) for part in cell.split(".")] for cell in first[1:]]
    is_in_order = versions in (sorted(versions), sorted(versions, reverse=True))
    under = (cell for row in below for cell in row[1:] if not is_figure(cell))
    has_words = any(_SAID.search(cell) and cell.lower() not in _NO_VALUES for cell in under)
    return 1 < len(versions) == len(set(first[1:])) and is_in_order and has_words


def _are_steps(figures: Sequence[str]) -> bool:
    """Say whether figures rise in one measure: postage is for up to 2 kg, 5 kg and 10 kg."""
    measures = {cell.lstrip("0123456789., ") for cell in figures}
    steps = [int(re.sub(r"\D", "", cell)) for cell in figures]
    is_rising = len(steps) > 1 and all(one < other for one, other in pairwise(steps))
    return is_rising and len(measures) == 1 and all(map(_LETTER.match, measures))


def are_years(figures: Sequence[str]) -> bool:
    if not all(YEAR.fullmatch(figure) for figure in figures):
        return False
    steps = {int(later) - int(earlier) for earlier, later in pairwise(figures)}
    return len(steps) <= 1 and all(0 < abs(step) <= _YEARS_APART for step in steps)


def _are_days(figures: Sequence[str]) -> bool:
    """Say whether figures are days in equal steps, of a week at most: those of a roster."""
    if all(map(_DAY_OF_MONTH.fullmatch, figures)):
        return _are_days_of_months(figures)
    found = [day for figure in figures if (day := _DAY.fullmatch(figure))]
    try:
        days = [
            date(int(day[1] or day[6] or _LEAP_YEAR), int(day[2] or day[5]), int(day[3] or day[4]))
            for day in found
        ]
    except ValueError:
        return False
    steps = {(later - earlier).days for earlier, later in pairwise(days)}
    return len(days) == len(figures) and len(steps) == 1 and 0 < min(steps) <= _DAYS_APART


def _are_days_of_months(figures: Sequence[str]) -> bool:
    """Say whether figures are such days with their months in words: 27 Feb, 28 Feb, 1 Mar."""
    found = [day for figure in figures if (day := _DAY_OF_MONTH.fullmatch(figure))]
    days = [(int(day[1]), day[2].lower()) for day in found]
    pairs = [*pairwise(days)]
    steps = {later - day for (day, month), (later, next_one) in pairs if month == next_one}
    step = max(steps, default=0)
    return (
        all(month in MONTHS for _, month in days)
        and len(steps) == 1
        and 0 < step <= _DAYS_APART
        and all(
            month == next_one or (later <= step and day + step > _SHORTEST_MONTH)
            for (day, month), (later, next_one) in pairs
        )
    )


def is_figure(cell: str) -> bool:
    return _FIGURE.match(cell) is not None


def is_period(cell: str) -> bool:
    """Say whether a cell is a year, a quarter or a day, and what its figures are counted in."""
    return (_PERIOD.fullmatch(cell) or _OF_A_PERIOD.match(cell)) is not None


def names_time(cell: str) -> bool:
    """Say whether a name is a year, a quarter, a month, a day or a weekday, and nothing else."""
    patterns = (_PERIOD, _DAY, _WEEKDAY)
    return _is_month(cell) or any(pattern.fullmatch(cell) for pattern in patterns)


def heads_in(text: str, *, pages: Sequence[int] = ()) -> Iterator[Heads]:
    """Yield the tables of a text that have heads; where these come again another one begins.

    `pages` are the places where pages begin, in order: where one has heads, too.
    """
    rows: list[tuple[int, str]] = []
    tops = {at for at in pages if _has_own_heads(text[at : at + _ROWS_SEEN * LONGEST_HEADS])}
    at = 0
    for line in (*text.splitlines(keepends=True), ""):
        words = line.strip()
        is_row = has_cells(words)
        is_again = bool(rows) and (words == rows[0][1] or begins_another(rows[0][1], words))
        if rows and (not is_row or is_again or at in tops):
            yield from _heads_of(rows)
            rows = []
        if is_row:
            rows.append((at + line.index(words), words))
        at += len(line)


def begins_another(heads: str, row: str) -> bool:
    """Say whether a row has the heads of another table in the same columns: of cash, of income.

    It says the same of each column as the heads above, two names or a period, under its own title.
    """
    (title, *names), (other, *own) = cells_of(heads), cells_of(row)
    is_told = len(names) > 1 or any(map(names_time, names))
    return is_told and title != other and all(names) and names == own


def _has_own_heads(page: str) -> bool:
    """Say whether a page begins with a table and its heads, over figures.

    Other rows, of words only or without values, may be of one that goes on from the page before.
    """
    rows = list(takewhile(has_cells, page.splitlines()[:_ROWS_SEEN]))
    count = heads_among(rows) if rows else 0
    if not 0 < count < len(rows) or not any(map(is_figure, cells_of(rows[count]))):
        return False
    names = [name for name in names_of("\n".join(rows[:count]))[1:] if name]
    return 0 < len(names) == len(set(names)) and all(map(_is_name, names))


def _is_name(cell: str) -> bool:
    is_name = _LETTER.search(cell) is not None or _PERIOD.match(cell) is not None
    return is_name and cell.lower() not in _NO_VALUES


def _heads_of(rows: Sequence[tuple[int, str]]) -> Iterator[Heads]:
    count = heads_among([words for _, words in rows[:_ROWS_SEEN]])
    if count:
        start, (last, words) = rows[0][0], rows[count - 1]
        end = last + len(words)
        if end - start <= LONGEST_HEADS:
            yield Heads(start, end, rows[-1][0] + len(rows[-1][1]))
