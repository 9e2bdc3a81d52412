"""Charts and diagrams of Office files: drawings whose words and numbers are parts of their own."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from pulsedocs.extraction.archives import related, xml_beside
from pulsedocs.extraction.charts import REFERENCES, chart_of
from pulsedocs.extraction.namespaces import DGM, A, R
from pulsedocs.extraction.prose import Prose

_DIAGRAM: Final = f"{DGM}relIds"
_OF_WORDS: Final = frozenset({"node", "asst"})


@dataclass(frozen=True, slots=True)
class Graphic:
    """What a chart says in a line above it and in tables, a diagram in a list of its points."""

    node: Element
    """What stands for it in the text."""
    part: str
    title: str = ""
    tables: Sequence[Sequence[Sequence[str]]] = ()
    points: Sequence[tuple[int, str]] = ()
    """Each with how many it lies below."""

    def put(self, prose: Prose) -> None:
        """Add it as paragraphs of their own."""
        prose.paragraph()
        prose.words(self.title)
        for table in self.tables:
            prose.paragraph()
            for row in table:
                prose.begin_row()
                for index, cell in enumerate(row):
                    prose.begin_cell(is_first=index == 0)
                    prose.words(cell)
                prose.end_marked()
        prose.paragraph()
        for depth, words in self.points:
            prose.begin_item("- ", depth=depth)
            prose.words(words)
            prose.end_marked()
        prose.paragraph()


@dataclass(frozen=True, slots=True)
class Graphics:
    found: Sequence[Graphic] = ()
    read: frozenset[str] = frozenset()
    """The parts of which nothing stays unread."""


def graphics_of(
    archive: ZipFile,
    part: str,
    root: Element,
    *,
    is_shown: Callable[[str], bool] = lambda _: False,
) -> Graphics:
    """Return what is drawn in a part of a file, in the order of its text, each part once.

    Values of sheets that are shown, by their names, are not repeated.
    """
    found: dict[str, Graphic] = {}
    read: set[str] = set()
    targets: dict[str | None, str] = {}
    for node in root.iter():
        name = f"{R}dm" if node.tag == _DIAGRAM else f"{R}id" if node.tag in REFERENCES else ""
        if not name:
            continue
        targets = targets or {each.get("Id"): target for each, target in related(archive, part)}
        target = targets.get(node.get(name), "")
        drawn = None if target in found else xml_beside(archive, target)
        if drawn is None:
            continue
        if node.tag == _DIAGRAM:
            found[target] = Graphic(node, target, points=list(_points(drawn)))
            read.add(target)
        else:
            chart = chart_of(drawn, is_shown=is_shown)
            found[target] = Graphic(node, target, chart.title, chart.tables)
            read |= {target} if chart.is_read else set()
    return Graphics(list(found.values()), frozenset(read))


def _points(root: Element) -> Iterator[tuple[int, str]]:
    """Yield the points that a diagram has words in, from the top down, as its lists have them."""
    points = {each.get("modelId", ""): each for each in root.iter(f"{DGM}pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for each in root.iter(f"{DGM}cxn"):
        if each.get("type", "parOf") == "parOf":
            order = each.get("srcOrd", "")
            place = int(order) if order.isdecimal() and len(order) < len("1234567890") else 0
            below[each.get("srcId", "")].append((place, each.get("destId", "")))
    left = [(-1, name) for name, each in points.items() if each.get("type") == "doc"]
    while left:
        depth, name = left.pop()
        point = points.pop(name, None)
        if point is None:  # or it is met a second time
            continue
        words = _words(point) if point.get("type", "node") in _OF_WORDS else ""
        if words:
            yield depth, words
        deeper = depth + 1 if words or depth < 0 else depth
        left += [(deeper, child) for _, child in sorted(below[name], reverse=True)]


def _words(point: Element) -> str:
    placed = point.find(f"{DGM}prSet")
    if placed is not None and placed.get("phldr") in {"1", "true"}:
        return ""  # asks for words, and is not shown
    lines = (
        "".join(" " if each.tag == f"{A}br" else each.text or "" for each in paragraph.iter())
        for paragraph in point.iter(f"{A}p")
    )
    return " ".join(" ".join(lines).split())
