"""Charts of OpenDocument files (ISO 26300-1, 12) as tables: of the values that each has in it."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.charts import Chart, chart_from, with_unit
from pulsedocs.extraction.namespaces import OFFICE, TABLE, TEXT

_CHART: Final = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_CELL: Final = re.compile(r"\$([A-Z])\$1(?![0-9])")
_PRIMARY: Final = "primary-y"
_NO_NUMBER: Final = "NaN"
_MOST_REPEATED: Final = 50  # cells


def chart_in(root: Element) -> Chart | None:
    """Return what a chart says; None of another object."""
    chart = root.find(f"{OFFICE}body/{OFFICE}chart/{_CHART}chart")
    if chart is None:
        return None
    table = chart.find(f"{TABLE}table")
    rows = [] if table is None else [list(_cells(row)) for row in table.iter(f"{TABLE}table-row")]
    along, units = "", dict[str, str]()
    for axis in chart.iter(f"{_CHART}axis"):
        if axis.get(f"{_CHART}dimension") == "x":
            along = along or _title(axis)
        else:
            units[axis.get(f"{_CHART}name", _PRIMARY)] = _title(axis)
    if rows and rows[0] and not rows[0][0]:
        rows[0][0] = along
    for series in chart.iter(f"{_CHART}series"):
        named = _CELL.search(series.get(f"{_CHART}label-cell-address", ""))
        column = ord(named[1]) - ord("A") if named else 0
        if rows and 0 < column < len(rows[0]):
            unit = units.get(series.get(f"{_CHART}attached-axis", _PRIMARY), "")
            rows[0][column] = with_unit(rows[0][column], unit)
    return chart_from(_title(chart), [along, *units.values()], [rows] if rows[1:] else [])


def _title(around: Element) -> str:
    title = around.find(f"{_CHART}title")
    return "" if title is None else _text(title)


def _cells(row: Element) -> Iterator[str]:
    for cell in row.iter(f"{TABLE}table-cell"):
        text = _text(cell)
        repeated = cell.get(f"{TABLE}number-columns-repeated", "1")
        count = int(repeated) if repeated.isdecimal() and len(repeated) < len("123") else 1
        yield from ["" if text == _NO_NUMBER else text] * min(count, _MOST_REPEATED)


def _text(node: Element) -> str:
    return " ".join(" ".join("".join(each.itertext()) for each in node.iter(f"{TEXT}p")).split())
