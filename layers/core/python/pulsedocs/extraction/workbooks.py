"""Reads workbooks (XLSX) and comma-separated values (CSV): each sheet begins a page.

Numbers stand as the sheet shows them, dates as in ISO 8601. Of a formula the last result is read.
What is hidden is left out and counted.
"""

import csv
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from io import BytesIO, StringIO
from itertools import groupby
from typing import cast

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.styles import Font
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.worksheet import Worksheet

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import (
    open_archive,
    rewritten,
    title_of,
    transitional,
)
from pulsedocs.extraction.beside_sheets import add_beside, parts_of_sheets
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.number_formats import shown_duration, shown_number, shown_time
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.remarks import STRUCK, remark
from pulsedocs.model.tables import (
    BAR,
    LONGEST_REPEATED,
    MOST_COLUMNS,
    MOST_ROWS,
    heads_among,
    is_figure,
    names_columns,
)

_THREADED = re.compile(r"\A\[[^\]]+\].{,500}?linkid=870924\s+[^:\n]{1,40}:\s", re.DOTALL)
"""What Excel 365 writes before a comment for older programs, in the language of its user."""
_CONTROL = re.compile(r"_x00([01][0-9A-Fa-f])_")
"""A character that XML has not; `_x0020_` is one it has, and so what the cell says."""
_WITH_ODD = frozenset({"xl/styles.xml", "docProps/core.xml"})
_ODD = {
    re.compile(rb"<(\w+:)?fill\s*/>"): rb"<\1fill><\1patternFill/></\1fill>",
    re.compile(rb'\srgb="(?!(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")[^"]*"'): b"",
    re.compile(rb"<(\w+:(?:created|modified|lastPrinted))\b[^<>]*>[^<]*</\1>"): b"",  # by some form
}
"""What instruments and exporters write, and what stands for it here."""
_STATED_DELIMITER = re.compile(r'"?sep=([^\w\s"]|\t)"?\r?\n', re.IGNORECASE)  # as Excel writes it
_DELIMITERS = ";\t,|"
_NONE = "\x1f"  # a file of one column
_QUOTED = re.compile(r'"[^"]*"')
_SNIFFED = 20_000
_LONGEST_CELL = 1_000_000
_ROWS_SEEN = 8  # on either side of an empty one, which tell whether a table goes on


def open_xlsx(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        title = title_of(archive, "docProps/core.xml")
        parts = parts_of_sheets(archive)
        known = transitional(archive, body)
        try:
            workbook = _workbook(known)
        except (TypeError, ValueError):
            with open_archive(known) as refused:
                workbook = _workbook(rewritten(refused, _mended))
        sheets: list[Prose] = []
        with_cells = set(workbook.worksheets)
        for name in workbook.sheetnames:
            sheet = workbook[name]
            prose = Prose(label=name)
            is_shown = sheet.sheet_state == "visible"
            if is_shown:
                prose.begin_heading(1)
                prose.words(name)
                prose.end_heading()
            if sheet in with_cells:  # or it is nothing but a chart
                _add_cells(sheet, prose)
            if is_shown and name in parts:
                add_beside(archive, parts[name].part, prose, sheets=parts)
            if is_shown and sheet in with_cells and budgets.comments:
                _add_comments(sheet, prose)
            sheets.append(prose)
    if sheets:
        sheets[0].title = title
    return ProseFile(sheets, parser="workbook", budgets=budgets)


def _workbook(body: bytes) -> Workbook:
    file = BytesIO(body)
    return load_workbook(file, data_only=True, keep_links=False, rich_text=True)


def _mended(part: str, content: bytes) -> bytes:
    """Return a part without what the library refuses and Excel does not mind."""
    for odd, shown in _ODD.items() if part in _WITH_ODD else ():
        content = odd.sub(shown, content)
    return content


def open_csv(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, FileUnreadable, TooMuchText and TooManyPages."""
    text = decoded(body)
    stated = _STATED_DELIMITER.match(text)
    delimiter = stated[1] if stated else _delimiter_of(text)
    lines = StringIO(text[stated.end() :] if stated else text, newline="")
    prose = Prose()
    previous = csv.field_size_limit(_LONGEST_CELL)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
        _add_rows(rows[::2] if _is_double_spaced(rows) else rows, prose)
    except csv.Error as error:
        raise FileUnreadable(f"read as comma-separated values: {error}") from error
    finally:
        csv.field_size_limit(previous)
    return ProseFile([prose], parser="csv", budgets=budgets)


def _is_double_spaced(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether every second line is blank, as some programs end each line twice."""
    return len(rows[::2]) > len("ab") and all(rows[::2]) and not any(rows[1::2])


def _delimiter_of(text: str) -> str:
    """Return what parts every line into as many cells, or else most lines.

    A semicolon or a tab rather than a comma, which stands in figures and sentences too: where
    the first line has none, nor most lines as many, one before a space parts no cells.
    """
    seen = text[:_SNIFFED]
    whole = seen if seen == text else seen.rpartition("\n")[0] or seen
    lines = [line for line in _QUOTED.sub("", whole).splitlines() if line.strip()]
    commas = Counter(line.count(",") for line in lines)
    are_alike = any(count and 2 * times > len(lines) for count, times in commas.items())
    if lines and "," not in lines[0] and not are_alike:
        lines = [line.replace(", ", "") for line in lines]
    best, most = _NONE, 0
    for delimiter in _DELIMITERS:
        counts = Counter(line.count(delimiter) for line in lines)
        alike = max((times for count, times in counts.items() if count), default=0)
        if alike > most:
            best, most = delimiter, alike
    return best


def _add_cells(sheet: Worksheet, prose: Prose) -> None:
    is_shown = sheet.sheet_state == "visible"
    hidden_rows = {number for number, row in sheet.row_dimensions.items() if row.hidden}
    hidden_columns = _hidden_columns(sheet)
    struck = _struck_fonts(sheet)
    unseen, is_struck = 0, False
    rows: dict[int, dict[int, str]] = {}
    # Not `iter_rows`, which makes a cell for each place up to the last one, 17 billion at the most.
    filled = sheet._cells  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- of the file
    cells = sorted(filled.items())
    for (row, column), cell in cells:
        value = _unstruck(cell, struck)
        text = shown_value(value, cell.number_format)
        if not is_shown or row in hidden_rows or column in hidden_columns:
            unseen += len(text)
            continue
        is_struck |= value != cell.value
        if text:
            rows.setdefault(row, {})[column] = text
    for area in sheet.merged_cells.ranges:
        _repeat_in(area, rows)
    shown: list[list[str]] = []
    before = 0
    for number, texts in rows.items():
        places = (place for place in range(1, max(texts) + 1) if place not in hidden_columns)
        if any(empty not in hidden_rows for empty in range(before + 1, number)):
            shown.append([])
        shown.append([texts.get(place, "") for place in places])
        before = number
    _add_rows(shown, prose)
    if is_struck:
        prose.unread.append(STRUCK)
    prose.hide(unseen)


def _add_comments(sheet: Worksheet, prose: Prose) -> None:
    for _, cell in sorted(sheet._cells.items()):  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- as above
        if cell.comment is not None:
            prose.paragraph()
            words = _THREADED.sub("", _with_controls(cell.comment.text))
            prose.words(remark(words, of=cell.coordinate))


def _hidden_columns(sheet: Worksheet) -> frozenset[int]:
    return frozenset(
        number
        for column in sheet.column_dimensions.values()
        if column.hidden
        for number in range(column.min or 0, (column.max or 0) + 1)
    )


def _struck_fonts(sheet: Worksheet) -> frozenset[int]:
    # Not `cell.font`, which takes 7 us a cell.
    fonts = cast("Iterable[Font]", sheet.parent._fonts)  # noqa: SLF001  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue, reportPrivateUsage] -- of the file
    return frozenset(number for number, font in enumerate(fonts) if font.strike)


def _unstruck(cell: Cell | MergedCell, struck: Container[int]) -> object:
    """Return what is not struck through of a cell's value: all, nothing or some of its runs."""
    is_struck = cell.has_style and cell._style.fontId in struck  # noqa: SLF001 -- as above
    if isinstance(cell.value, CellRichText):
        runs = cast("list[str | TextBlock]", cell.value)
        return CellRichText(
            [run for run in runs if not (is_struck if isinstance(run, str) else run.font.strike)]
        )
    return None if is_struck else cell.value


def _repeat_in(area: CellRange, rows: Mapping[int, dict[int, str]]) -> None:
    """Let joined cells say of each row and column what they say of all; a title is said once."""
    text = rows.get(area.min_row, {}).get(area.min_col, "")
    if not text or len(text) > LONGEST_REPEATED:
        return
    columns = range(area.min_col, min(area.max_col, area.min_col + MOST_COLUMNS) + 1)
    for row in range(area.min_row, min(area.max_row, area.min_row + MOST_ROWS) + 1):
        beside = rows.get(row, {})
        if any(column not in columns for column in beside):
            for column in columns:
                beside.setdefault(column, text)


def _add_rows(rows: Iterable[Sequence[str]], prose: Prose) -> None:
    """Add tables; a row that says something in its first cell only is the name of those below.

    Below another such row it is a paragraph: no sentence goes on from one into the other.
    """
    for found in _tables([_until_empty(row) for row in rows]):
        table = _without_empty_columns(found)
        prose.paragraph()
        for before, texts, after in zip([[], *table], table, [*table[1:], []], strict=False):
            if len(before) == len(texts) == 1:
                prose.paragraph()
            prose.begin_row()
            for index, text in enumerate(texts):
                prose.begin_cell(is_first=index == 0)
                prose.words(text)
            is_between = min(len(before), len(after)) > 1
            if is_between and len(texts) == 1 and len(texts[0]) <= LONGEST_REPEATED:
                prose.leave_empty(len(after) - 1)
            prose.end_marked()


def _without_empty_columns(table: Sequence[list[str]]) -> list[list[str]]:
    """Return a table without the columns that only set others apart, as those of forms are."""
    filled = sorted({at for row in table if len(row) > 1 for at, text in enumerate(row) if text})
    return [row if len(row) == 1 else [row[at] for at in filled if at < len(row)] for row in table]


def _tables(rows: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the rows that empty ones part; a table that goes on below an empty row is one."""
    table: list[list[str]] = []
    for is_filled, stretch in groupby(rows, key=bool):
        below = list(stretch) if is_filled else []
        if below and table and not _goes_on(_top(table), _top(below)):
            yield table
            table = []
        table += below
    if table:
        yield table


def _top(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return as much of rows as tells what they are: it is looked at for every empty row."""
    return [[text[:LONGEST_REPEATED] for text in row[:MOST_COLUMNS]] for row in rows[:_ROWS_SEEN]]


def _goes_on(above: Sequence[Sequence[str]], below: Sequence[Sequence[str]]) -> bool:
    """Say whether the rows below an empty one are of the table above it.

    They are if it has heads and they have none: figures stand where figures stood, and where
    there are only words, those of as many columns. The name of a group may stand before them.
    """
    rows = below[1:] if len(below) > 1 and len(below[0]) == 1 else below
    width = max(map(len, above))
    heads = heads_among([BAR.join(row) for row in (*above, *rows)])
    if not heads or not 1 < len(rows[0]) <= width:
        return False
    if any(map(is_figure, rows[0])):
        return not names_columns([BAR.join(row) for row in rows])
    is_of_words = not any(is_figure(cell) for row in (*above[heads:], *rows) for cell in row)
    return is_of_words and len(rows[0]) == width


def _until_empty(cells: Sequence[str]) -> list[str]:
    texts = [text.strip() for text in cells]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def shown_value(value: object, number_format: str) -> str:
    """Return a cell's value as a sheet shows it; a date as in ISO 8601, whatever its order there.

    >>> shown_value(0.125, "0.0%"), shown_value(1234.5, '#,##0.00 "EUR"'), shown_value(7, "000")
    ('12.5%', '1,234.50 EUR', '007')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | time):
        return shown_time(value, number_format)
    if isinstance(value, timedelta):
        return shown_duration(value, number_format)
    if isinstance(value, int | float):
        return shown_number(value, number_format)
    return _with_controls(str(value))


def _with_controls(text: str) -> str:
    return _CONTROL.sub(lambda found: chr(int(found[1], 16)), text)
