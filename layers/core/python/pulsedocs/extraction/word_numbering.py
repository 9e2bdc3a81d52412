"""The numbers and letters that Word shows before paragraphs: counted, they stand in no text.

A paragraph, or its style, names a list (`num`) and a level of it. Lists of one pattern
(`abstractNum`) count on together; one that states a start begins where it is first used.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from pulsedocs.extraction.counting import written
from pulsedocs.extraction.namespaces import MC, W
from pulsedocs.extraction.word_styles import PARAGRAPH, VALUE, Styles, is_on, nodes_of, put_property

_CHOICE: Final = f"{MC}Choice"
"""The same again for newer programs; the library reads what is there for older ones."""
_LEVELS: Final = 9
_LONGEST: Final = 40  # characters of a level's pattern
_PLACE: Final = re.compile(r"%([1-9])")
_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_OF_PARAGRAPH: Final = f"{W}pPr/{W}numPr"


class _Level(NamedTuple):
    begins_after: int
    """One of so many first levels begins this one again."""
    pattern: str = ""
    kind: str = "decimal"
    start: int = 1
    is_in_figures: bool = False
    style: str = ""


class _List(NamedTuple):
    pattern: str
    levels: list[_Level]
    starts: dict[int, int]


class Numbering:
    """The lists of a file, by the numbers that paragraphs name them by."""

    def __init__(self, root: Element | None) -> None:
        patterns = [] if root is None else root.findall(f"{W}abstractNum")
        nums = [] if root is None else root.findall(f"{W}num")
        self._patterns = {each.get(f"{W}abstractNumId", ""): each for each in patterns}
        self._linked = {_said(each, "styleLink"): each for each in patterns}
        self._nums = {each.get(f"{W}numId", ""): each for each in nums}
        self._lists: dict[str, _List | None] = {}

    def list_of(self, num: str) -> _List | None:
        if num not in self._lists:
            self._lists[num] = self._read(num)
        return self._lists[num]

    def _read(self, num: str) -> _List | None:
        found = self._nums.get(num)
        pattern = None if found is None else self._patterns.get(_said(found, "abstractNumId"))
        if pattern is not None and (link := _said(pattern, "numStyleLink")):
            pattern = self._linked.get(link)
        if found is None or pattern is None:
            return None
        overrides = found.findall(f"{W}lvlOverride")
        levels = dict(each for around in (pattern, *overrides) for each in _levels(around))
        starts = {
            _level_number(each.get(f"{W}ilvl")): _number(start)
            for each in overrides
            if (start := _said(each, "startOverride"))
        }
        return _List(
            pattern.get(f"{W}abstractNumId", ""),
            [levels.get(at) or _Level(at) for at in range(_LEVELS)],
            starts,
        )


def put_labels(root: Element, numbering: Numbering, styles: Styles) -> None:
    """Put before each counted paragraph what Word shows there.

    What a style says of its list is then said by the paragraph, where the library looks for it.
    """
    paragraphs: list[tuple[Element, Element | None]] = []
    # Word counts empty ones too, but only in a table they say something: the number of a row.
    shown = {each for cell in root.iter(f"{W}tc") for each in cell.findall(PARAGRAPH)}
    for node, paragraph in nodes_of(root, but=_CHOICE):
        if node.tag == PARAGRAPH:
            paragraphs.append((node, paragraph))
        elif paragraph is not None and node.text and node.tag.endswith("}t"):
            shown.add(paragraph)
    counts: dict[str, list[int | None]] = {}
    begun: set[str] = set()
    without_end: dict[Element | None, list[Element]] = {}  # that go on with the next one
    for paragraph, around in paragraphs:
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            without_end.setdefault(around, []).append(paragraph)
            continue
        joined = [*without_end.pop(around, ()), paragraph]
        style = styles.of_paragraph(paragraph)
        num, level = (_stated(paragraph, style, name, styles) for name in ("numId", "ilvl"))
        listed = None if num is None or _is_hidden(paragraph) else numbering.list_of(num)
        if num is None or listed is None:
            continue
        at = _level_of(style, listed) if level is None else _level_number(level)
        counted = counts.setdefault(listed.pattern, [None] * _LEVELS)
        if num not in begun:
            begun.add(num)
            for begins in listed.starts:
                counted[begins] = None
        label = _count(listed, at, counted)
        if not shown.isdisjoint(joined):
            _say_list(paragraph, num, at)
            _put(label, joined[0])


def _stated(paragraph: Element, style: str, name: str, styles: Styles) -> str | None:
    path = f"{_OF_PARAGRAPH}/{W}{name}"
    found = paragraph.find(path)
    found = styles.said(style, path) if found is None else found
    return None if found is None else found.get(VALUE)


def _level_of(style: str, listed: _List) -> int:
    return next((at for at, each in enumerate(listed.levels) if style and each.style == style), 0)


def _is_hidden(paragraph: Element) -> bool:
    """Say whether the end of a paragraph is hidden, so that it is none."""
    return is_on(paragraph.find(f"{W}pPr/{W}rPr/{W}vanish"))


def _count(listed: _List, level: int, counts: list[int | None]) -> str:
    """Count one more paragraph of a level, and return what stands before it; "" before a point."""
    levels = listed.levels
    starts = [listed.starts.get(at, each.start) for at, each in enumerate(levels)]
    before = counts[level]
    counts[level] = starts[level] if before is None else before + 1
    for deeper in range(level + 1, _LEVELS):
        if level < levels[deeper].begins_after:
            counts[deeper] = None

    def shown(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        count = counts[at]
        kind = "decimal" if levels[level].is_in_figures else levels[at].kind
        return written(starts[at] if count is None else count, kind)

    return "" if levels[level].kind == "bullet" else _PLACE.sub(shown, levels[level].pattern)


def _say_list(paragraph: Element, num: str, level: int) -> None:
    listed = put_property(paragraph, "numPr")
    SubElement(listed, f"{W}ilvl", {VALUE: str(level)})
    SubElement(listed, f"{W}numId", {VALUE: num})


def _put(label: str, paragraph: Element) -> None:
    if label.strip():
        run = Element(f"{W}r")
        SubElement(run, f"{W}t").text = f"{label.strip()} "
        paragraph.insert(0, run)


def _levels(around: Element) -> Iterator[tuple[int, _Level]]:
    for found in around.findall(f"{W}lvl"):
        at = _level_number(found.get(f"{W}ilvl"))
        restart = _said(found, "lvlRestart")
        yield (
            at,
            _Level(
                pattern=_said(found, "lvlText")[:_LONGEST],
                kind=_said(found, "numFmt") or "decimal",
                start=_number(_said(found, "start") or "1"),
                begins_after=_number(restart) if restart else at,
                is_in_figures=is_on(found.find(f"{W}isLgl")),
                style=_said(found, "pStyle"),
            ),
        )


def _said(around: Element, name: str) -> str:
    found = around.find(f"{W}{name}")
    return "" if found is None else found.get(VALUE, "")


def _number(stated: str | None) -> int:
    return int(stated) if stated and _NUMBER.fullmatch(stated) else 0


def _level_number(stated: str | None) -> int:
    return min(_number(stated), _LEVELS - 1)
