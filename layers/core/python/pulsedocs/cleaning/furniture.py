"""Finds running headers and footers: lines that come back at the edge of page after page."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pulsedocs.cleaning.characters import stripped
from pulsedocs.cleaning.draft import Draft

_FEWEST_PAGES = 3
_SHARE_OF_PAGES = 0.1  # a chapter's header is on the chapter's pages only
_DEEPEST = 4  # lines; what repeats further into the page is content, such as a form
_LONGEST = 200  # characters; a longer line is text
_NUMBER = re.compile(r"\d{1,6}")


@dataclass(slots=True)
class _Edge:
    """The lines of one page that are still there, the outermost first."""

    lines: list[str]
    page: int
    label: str | None
    removed: int = 0

    def keys(self) -> set[str]:
        """Return the forms of the outermost line under which it may come back."""
        if self.removed >= len(self.lines):
            return set()
        return _forms(self.lines[self.removed], page=self.page, label=self.label)


def without_furniture(
    drafts: Sequence[Draft], *, numbers: Sequence[int], labels: Sequence[str | None]
) -> list[Draft]:
    """Return the pages without their running headers and footers.

    A line comes back if it is the same on enough pages when a number in it is read as the page's
    own ("Page 7 of 90" on the ninth is two less). Other numbers have to be equal, so
    rows of figures stay.
    """
    with_text = sum(1 for draft in drafts if draft.text)
    least = max(_FEWEST_PAGES, math.ceil(with_text * _SHARE_OF_PAGES))
    for side in (_from_top, _from_bottom):
        edges = [
            _Edge(side(draft.text.split("\n")), number, label)
            for draft, number, label in zip(drafts, numbers, labels, strict=True)
        ]
        _peel(edges, least=least)
        drafts = [_cut(draft, edge, side) for draft, edge in zip(drafts, edges, strict=True)]
    return [stripped(draft) for draft in drafts]


def _from_top(lines: list[str]) -> list[str]:
    return lines


def _from_bottom(lines: list[str]) -> list[str]:
    return lines[::-1]


def _peel(edges: Sequence[_Edge], *, least: int) -> None:
    """Take off the outermost lines, layer by layer, while enough pages share them."""
    keys = [edge.keys() for edge in edges]
    while True:
        counts = Counter(key for page_keys in keys for key in page_keys)
        shared = {key for key, count in counts.items() if count >= least}
        running = [index for index, own in enumerate(keys) if not shared.isdisjoint(own)]
        if not running:
            break
        for index in running:
            edges[index].removed += 1
            keys[index] = edges[index].keys()
    for edge in edges:
        if edge.removed > _DEEPEST:
            edge.removed = 0


def _cut(draft: Draft, edge: _Edge, side: Callable[[list[str]], list[str]]) -> Draft:
    if not edge.removed:
        return draft
    length = sum(len(line) + 1 for line in edge.lines[: edge.removed])
    size = len(draft.text)
    if side is _from_top:
        return stripped(draft.cut(min(length, size), size))
    return stripped(draft.cut(0, max(0, size - length)))


def _forms(line: str, *, page: int, label: str | None) -> set[str]:
    if not line or len(line) > _LONGEST:
        return set()
    forms = {line}
    numbers = list(_NUMBER.finditer(line))
    if numbers:
        first, last = numbers[0], numbers[-1]
        forms |= {_relative(line, [first], page), _relative(line, [last], page)}
        forms.add(_relative(line, [first, last] if first is not last else [first], page))
    if label:
        forms.add(re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", "\x01", line))
    return forms


def _relative(line: str, numbers: Sequence[re.Match[str]], page: int) -> str:
    """Write numbers as their distance to the page's: the same on every page if they count it."""
    parts: list[str] = []
    done = 0
    for number in numbers:
        parts += (line[done : number.start()], f"\x00{int(number[0]) - page}\x00")
        done = number.end()
    return "".join((*parts, line[done:]))
