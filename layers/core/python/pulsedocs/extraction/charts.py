"""Charts of Office files as tables: their titles, and the values that the file keeps of them.

Every chart keeps what was drawn last (ISO 29500-1, 21.2; [MS-ODRAWXML] 2.24 for the kinds of 2016).
The workbook behind it is not opened. What an axis is called stands with the names of its series,
so that a row can be quoted with its unit.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.namespaces import CX, A, C
from pulsedocs.extraction.number_formats import shown_serial
from pulsedocs.model.tables import BAR, LONGEST_HEADS, MOST_COLUMNS, MOST_ROWS

REFERENCES: Final = (f"{C}chart", f"{CX}chart")
"""What stands in a text for a chart, which is a part of its own."""
_AXES: Final = frozenset({f"{C}catAx", f"{C}dateAx", f"{C}serAx", f"{C}valAx"})
_OF_CATEGORIES: Final = frozenset({f"{C}catAx", f"{C}dateAx"})
_STRINGS: Final = frozenset({f"{C}strCache", f"{C}strLit"})
_NUMBERS: Final = frozenset({f"{C}numCache", f"{C}numLit"})
_LEVELS: Final = f"{C}multiLvlStrCache"
_FORMULAS: Final = (f"{C}f", f"{CX}f")
_VALUES: Final = ("val", "size", "y")
"""The dimensions of newer kinds whose numbers are drawn, as a length or an area."""
_PLAIN: Final = "General"
_INDEX: Final = re.compile(r"[0-9]{1,9}")
_SHEET: Final = re.compile(r"'((?:[^']|''){1,100})'!|([^\s'!(),;]{1,100})!")
_TRUE: Final = frozenset({"1", "true"})

_Points = dict[int, str]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart says: a line above it, and tables of its values."""

    title: str
    tables: Sequence[Sequence[Sequence[str]]]
    is_read: bool
    """Whether its values are in the tables, or else in cells of a sheet that is read."""


@dataclass(frozen=True, slots=True)
class _Series:
    """Numbers that are drawn alike, each over its category, which may have others around it."""

    name: str
    unit: str
    categories: Sequence[_Points]
    values: _Points


def chart_of(root: Element, *, is_shown: Callable[[str], bool] = lambda _: False) -> Chart:
    """Return what a chart says.

    Values from sheets that are shown, by their names, are not repeated: they stand there. Those of
    1,000 categories and more, such as the curve of an instrument, are no table either.
    """
    if root.tag == f"{CX}chartSpace":
        title, axis, series = _of_new_kind(root)
    else:
        title, axis, series = _of_old_kind(root)
    units = [*dict.fromkeys(each.unit for each in series if each.unit)]
    formulas = [each.text or "" for tag in _FORMULAS for each in root.iter(tag)]
    sheets = [
        (quoted or plain).replace("''", "'")
        for formula in formulas
        for quoted, plain in _SHEET.findall(formula)
    ]
    if sheets and all(map(is_shown, sheets)):
        return Chart(_titled(title, [axis, *units]), (), is_read=True)
    return chart_from(title, [axis, *units], [list(_table(each, axis)) for each in _groups(series)])


def chart_from(
    title: str, names: Sequence[str], tables: Sequence[Sequence[Sequence[str]]]
) -> Chart:
    """Return a chart of tables that begin with their heads; `names` are those of its axes."""
    rows, columns = sum(map(len, tables)), max((len(table[0]) for table in tables), default=0)
    if not rows or rows > MOST_ROWS or columns > MOST_COLUMNS:
        return Chart(_titled(title, names), (), is_read=False)
    are_told = all(_says(table[0], names) for table in tables)
    return Chart(_titled(title, () if are_told else names), tables, is_read=True)


def _titled(title: str, names: Iterable[str]) -> str:
    said = "; ".join(dict.fromkeys(filter(None, names)))
    return f"{title} ({said})" if title and said else title or said


def _says(heads: Sequence[str], names: Sequence[str]) -> bool:
    said = BAR.join(heads).casefold()
    return all(name.casefold() in said for name in names)


def _groups(series: Iterable[_Series]) -> Iterator[list[_Series]]:
    """Yield the series that have the same categories, which are one table."""
    group: list[_Series] = []
    for each in series:
        if group and each.categories and each.categories != group[0].categories:
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _table(group: Sequence[_Series], axis: str) -> Iterator[list[str]]:
    """Yield the names of the columns, then a row for each category that has a value."""
    levels = group[0].categories
    before = [axis, *[""] * (len(levels) - 1)]
    named = [*before, *(with_unit(each.name, each.unit) for each in group)]
    is_long = len(BAR.join(named)) > LONGEST_HEADS
    yield [*before, *(each.name for each in group)] if is_long else named
    outer = [""] * len(levels)
    for at in sorted(set(chain.from_iterable((*levels, *(each.values for each in group))))):
        # A name around others stands at the first of them.
        outer = [level.get(at, "") or outer[n] for n, level in enumerate(levels)]
        if levels:
            outer[-1] = levels[-1].get(at, "")
        values = [each.values.get(at, "") for each in group]
        if any(values):
            yield [*(outer or [str(at + 1)]), *values]


def with_unit(name: str, unit: str) -> str:
    """Return what a column is called, with what its axis says of its values."""
    is_told = not unit or unit.casefold() in name.casefold()
    return name if is_told else f"{name} ({unit})" if name else unit


def _of_old_kind(root: Element) -> tuple[str, str, list[_Series]]:
    """Return the title, the name of the categories' axis, and the series."""
    title = _title(root.find(f"{C}chart"))
    area = root.find(f"{C}chart/{C}plotArea")
    plots = [] if area is None else [each for each in area if each.find(f"{C}ser") is not None]
    axes = {_said(each, "axId"): each for each in area or () if each.tag in _AXES}
    is_from_1904 = _said(root, "date1904") in _TRUE
    category, series = "", list[_Series]()
    for plot in plots:
        own = [axes[key] for each in plot.findall(f"{C}axId") if (key := each.get("val")) in axes]
        own.sort(key=lambda each: each.tag not in _OF_CATEGORIES)  # of two of values x comes first
        along, up = (own[at] if at < len(own) else None for at in (0, 1))
        category = category or _name_of_axis(along)
        for each in plot.findall(f"{C}ser"):
            name = " ".join(_first_level(each.find(f"{C}tx"), "", is_from_1904).values())
            drawn = _either(each, "val", "yVal")
            shares = [(name, drawn), (f"{name} (size)".strip(), each.find(f"{C}bubbleSize"))]
            categories = _levels(_either(each, "cat", "xVal"), _format(along), is_from_1904)
            series += [
                _Series(called, _name_of_axis(up) if values is drawn else "", categories, points)
                for called, values in shares
                if (points := _first_level(values, _format(up), is_from_1904))
            ]
    if len(series) == 1 and not series[0].name:
        series = [_Series(title, series[0].unit, series[0].categories, series[0].values)]
    return title, category, series


def _either(series: Element, one: str, other: str) -> Element | None:
    found = series.find(f"{C}{one}")
    return series.find(f"{C}{other}") if found is None else found


def _said(around: Element, name: str) -> str:
    found = around.find(f"{C}{name}")
    return "" if found is None else found.get("val", "")


def _name_of_axis(axis: Element | None) -> str:
    return "" if axis is None or _said(axis, "delete") in _TRUE else _title(axis)


def _format(axis: Element | None) -> str:
    """Return how an axis shows numbers whose own format says nothing."""
    found = None if axis is None else axis.find(f"{C}numFmt")
    return _PLAIN if found is None else found.get("formatCode", _PLAIN)


def _title(around: Element | None) -> str:
    """Return what a title says; one that repeats the name of a series is stated by no text."""
    text = None if around is None else around.find(f"{C}title/{C}tx")
    if text is None:
        return ""
    return _rich(text) or " ".join(_first_level(text, "", is_from_1904=False).values())


def _rich(around: Element) -> str:
    lines = ("".join(text.text or "" for text in p.iter(f"{A}t")) for p in around.iter(f"{A}p"))
    return " ".join(" ".join(lines).split())


def _first_level(data: Element | None, unstated: str, is_from_1904: bool) -> _Points:  # noqa: FBT001 -- passed on
    return next(iter(_levels(data, unstated, is_from_1904)), _Points())


def _levels(data: Element | None, unstated: str, is_from_1904: bool) -> list[_Points]:  # noqa: FBT001 -- passed on
    """Return the texts of data by their places; of names around names the outermost first."""
    for node in () if data is None else data.iter():
        if node.tag in _STRINGS:
            return [{at: text for at, text, _ in _texts(node)}]
        if node.tag == _LEVELS:
            return [
                {at: text for at, text, _ in _texts(level)} for level in node.findall(f"{C}lvl")
            ][::-1]
        if node.tag in _NUMBERS:
            stated = node.findtext(f"{C}formatCode", _PLAIN)
            usual = unstated or _PLAIN if stated == _PLAIN else stated
            return [
                {
                    at: shown_serial(text, point.get("formatCode") or usual, is_from_1904)
                    for at, text, point in _texts(node)
                }
            ]
    stated = None if data is None else data.findtext(f"{C}v")
    return [{0: stated}] if stated else []


def _texts(cache: Element) -> Iterator[tuple[int, str, Element]]:
    """Yield the points of a cache or a level, not as many as they say they are."""
    for point in cache:
        index, text = point.get("idx", ""), point.findtext(f"{C}v") or point.text or ""
        if _INDEX.fullmatch(index) and text.strip():
            yield int(index), " ".join(text.split()), point


def _of_new_kind(root: Element) -> tuple[str, str, list[_Series]]:
    """Return the title, the name of the categories' axis, and the series: waterfalls, funnels."""
    chart = root.find(f"{CX}chart")
    if chart is None:
        return "", "", []
    axes = {
        each.find(f"{CX}catScaling") is not None: _title_of_new_kind(each)
        for each in reversed([*chart.iter(f"{CX}axis")])
        if each.get("hidden") not in _TRUE
    }
    found = {each.get("id"): each for each in root.iter(f"{CX}data")}
    series = list[_Series]()
    for each in chart.iter(f"{CX}series"):
        named = each.find(f"{CX}dataId")
        data = None if named is None else found.get(named.get("val"))
        if data is None or each.get("hidden") in _TRUE:
            continue
        name = each.findtext(f"{CX}tx/{CX}txData/{CX}v", "").strip()
        dimensions = {dimension.get("type"): dimension for dimension in data}
        drawn = next((dimensions[kind] for kind in _VALUES if kind in dimensions), None)
        values = next(iter(_levels_of_new_kind(drawn)), _Points())
        categories = _levels_of_new_kind(dimensions.get("cat"))
        if values and categories:  # or they are counted, and what is drawn is how often
            series.append(_Series(name, axes.get(False, ""), categories, values))
    return _title_of_new_kind(chart), axes.get(True, ""), series


def _title_of_new_kind(around: Element) -> str:
    title = around.find(f"{CX}title")
    return "" if title is None else _rich(title) or title.findtext(f".//{CX}v", "").strip()


def _levels_of_new_kind(dimension: Element | None) -> list[_Points]:
    levels = [] if dimension is None else dimension.findall(f"{CX}lvl")
    is_of_words = dimension is not None and dimension.tag == f"{CX}strDim"
    return [
        {
            at: text if is_of_words else shown_serial(text, level.get("formatCode") or _PLAIN)
            for at, text, _ in _texts(level)
        }
        for level in levels
    ][::-1]
