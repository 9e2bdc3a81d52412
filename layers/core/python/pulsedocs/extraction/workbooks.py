"""Reads workbooks (XLSX) and comma-separated values (CSV): each sheet begins a page.

Numbers stand as the sheet shows them, as far as their format (ISO 29500, 18.8.30) is about
decimals, thousands, percent, a currency or leading zeros; others stand plain, and dates as in
ISO 8601. Of a formula the last result is read. What is hidden is left out and counted.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time
from io import BytesIO, StringIO

from openpyxl import load_workbook
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.worksheet import Worksheet

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, parts_named, title_of, unread_parts
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.remarks import remark

_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]+)?")
_BRACKETS = re.compile(r"\[(?:\$(?P<currency>[^\]-]*))?[^\]]*\]")  # [Red], [$EUR-407]
_FILLERS = re.compile(r"[_*].|\\")  # a gap as wide as a character, one that fills the cell
_OTHER = re.compile(r"[/@]|[0#]E[+-]")  # fractions, text, powers of ten
_WITHOUT_RESULT = re.compile(rb"</f>\s*(?:</c>|<v\s*/>|<v></v>)|<f\b[^>]*/>\s*</c>")
_TEXT_OF_SHAPE = b"<a:t>"
_SNIFFED = 20_000
_LONGEST_CELL = 1_000_000
_LONGEST_REPEATED = 60  # characters; what is longer names no row and no column
_MOST_COLUMNS, _MOST_ROWS = 50, 1_000  # that joined cells may reach over


def open_xlsx(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        title = title_of(archive, "docProps/core.xml")
        unread = list(unread_parts(archive, "xl"))
        drawings = parts_named(archive, r"xl/drawings/drawing\d*\.xml")
        if any(_TEXT_OF_SHAPE in archive.read(part) for part in drawings):
            unread.append("text boxes")
        parts = parts_named(archive, r"xl/worksheets/[^/]+\.xml")
        bare = sum(len(_WITHOUT_RESULT.findall(archive.read(part))) for part in parts)
        if bare:
            counted = "1 formula" if bare == 1 else f"{bare} formulas"
            unread.append(f"{counted} without a saved result")
    workbook = load_workbook(BytesIO(body), data_only=True, keep_links=False)
    sheets = [_sheet(sheet, comments=budgets.comments) for sheet in workbook.worksheets]
    if sheets:
        sheets[0].title = title
        sheets[0].unread += unread
    return ProseFile(sheets, parser="workbook", budgets=budgets)


def open_csv(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, FileUnreadable, TooMuchText and TooManyPages."""
    text = decoded(body)
    try:
        delimiter = csv.Sniffer().sniff(text[:_SNIFFED], delimiters=",;\t|").delimiter
    except csv.Error:  # one column, or nothing regular
        delimiter = ","
    prose = Prose()
    previous = csv.field_size_limit(_LONGEST_CELL)
    try:
        _add_rows(list(csv.reader(StringIO(text, newline=""), delimiter=delimiter)), prose)
    except csv.Error as error:
        raise FileUnreadable(f"read as comma-separated values: {error}") from error
    finally:
        csv.field_size_limit(previous)
    return ProseFile([prose], parser="csv", budgets=budgets)


def _sheet(sheet: Worksheet, *, comments: bool) -> Prose:
    prose = Prose(label=sheet.title)
    is_shown = sheet.sheet_state == "visible"
    if is_shown:
        prose.begin_heading(1)
        prose.words(sheet.title)
        prose.end_heading()
    hidden_rows = {number for number, row in sheet.row_dimensions.items() if row.hidden}
    hidden_columns = {
        number
        for column in sheet.column_dimensions.values()
        if column.hidden
        for number in range(column.min or 0, (column.max or 0) + 1)
    }
    unseen = 0
    rows: dict[int, dict[int, str]] = {}
    # Not `iter_rows`, which makes a cell for each place up to the last one, 17 billion at the most.
    cells = sheet._cells  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] -- those of the file
    for (row, column), cell in sorted(cells.items()):
        text = shown_value(cell.value, cell.number_format)
        if not is_shown or row in hidden_rows or column in hidden_columns:
            unseen += len(text)
        elif text:
            rows.setdefault(row, {})[column] = text
    for area in sheet.merged_cells.ranges:
        _repeat_in(area, rows)
    shown: list[list[str]] = []
    for number, texts in rows.items():
        places = (place for place in range(1, max(texts) + 1) if place not in hidden_columns)
        if number - 1 not in rows:
            shown.append([])
        shown.append([texts.get(place, "") for place in places])
    _add_rows(shown, prose)
    for _, cell in sorted(cells.items()) if is_shown and comments else ():
        if cell.comment is not None:
            prose.paragraph()
            prose.words(remark(cell.comment.text, of=cell.coordinate))
    prose.hide(unseen)
    return prose


def _repeat_in(area: CellRange, rows: Mapping[int, dict[int, str]]) -> None:
    """Let joined cells say of each row and column what they say of all; a title is said once."""
    text = rows.get(area.min_row, {}).get(area.min_col, "")
    if not text or len(text) > _LONGEST_REPEATED:
        return
    columns = range(area.min_col, min(area.max_col, area.min_col + _MOST_COLUMNS) + 1)
    for row in range(area.min_row, min(area.max_row, area.min_row + _MOST_ROWS) + 1):
        beside = rows.get(row, {})
        if any(column not in columns for column in beside):
            for column in columns:
                beside.setdefault(column, text)


def _add_rows(rows: Iterable[Sequence[str]], prose: Prose) -> None:
    """Add rows; one that says something in its first cell only is the name of those below."""
    filled = [_until_empty(row) for row in rows]
    for before, texts, after in zip([[], *filled], filled, [*filled[1:], []], strict=False):
        if not texts:
            continue
        prose.begin_row()
        for index, text in enumerate(texts):
            prose.begin_cell(is_first=index == 0)
            prose.words(text)
        is_between = min(len(before), len(after)) > 1
        if is_between and len(texts) == 1 and len(texts[0]) <= _LONGEST_REPEATED:
            prose.leave_empty(len(after) - 1)
        prose.end_marked()


def _until_empty(cells: Sequence[str]) -> list[str]:
    texts = list(cells)
    while texts and not texts[-1].strip():
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
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes") if value.time() != time() else f"{value:%Y-%m-%d}"
    if isinstance(value, int | float):
        return _shown_number(value, number_format)
    return str(value)


def _shown_number(value: float, number_format: str) -> str:
    section = _BRACKETS.sub(lambda match: match["currency"] or "", number_format.partition(";")[0])
    section = _FILLERS.sub("", section).replace('"', "")
    digits = _DIGITS.search(section)
    if digits is None or digits[0].endswith(",") or _OTHER.search(section):
        return f"{value:.11g}"  # as many digits as a sheet shows without a format
    whole, _, decimals = digits[0].partition(".")
    number = f"{value * 100 if '%' in section else value:.{len(decimals)}f}"
    if "#" in decimals:
        number = number.rstrip("0").rstrip(".")
    sign, number = ("-", number[1:]) if number.startswith("-") else ("", number)
    before, point, after = number.partition(".")
    before = before.zfill(whole.count("0"))
    if "," in whole:
        before = f"{int(before):,}"
    shown = f"{section[: digits.start()]}{before}{point}{after}{section[digits.end() :]}"
    return sign + shown.strip()
