"""Reads PowerPoint files (PPTX): a slide is a page, with its speaker's notes at the end.

Slides and shapes that are not shown count as hidden text. Large pictures are named, and charts of
more values than anybody reads; masters are not read. The usual library brings 24 MB for writing
charts and pictures, more than all other readers together.
"""

import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, related, title_of, unread_parts, xml_of
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.graphics import Graphic, graphics_of
from pulsedocs.extraction.namespaces import MC, A, M, P, R
from pulsedocs.extraction.office_pictures import on_slide
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.remarks import STRUCK, remark
from pulsedocs.extraction.scripts import lowered, raised
from pulsedocs.extraction.slide_lists import level_of, marks_of
from pulsedocs.extraction.word_formulas import formula_of

_PARSER = "slides"
_FALLBACK = f"{MC}Fallback"
_PRESENTATION = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_FORMULA = f"{M}oMath"
_ON = frozenset({"1", "true"})
_RUNS = frozenset({f"{A}r", f"{A}fld"})
_BODIES = frozenset({"", "body", "obj"})
_PLACES = (f"{P}spPr/{A}xfrm", f"{P}grpSpPr/{A}xfrm", f"{P}xfrm")
_WHOLE = re.compile(r"-?[0-9]{1,12}")
_NOT_TEXT = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})


def open_pptx(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return a page a slide. Raises FileUnreadable, ResourceExhausted and TooManyPages."""
    with open_archive(body) as archive:
        presentation = xml_of(archive, _PRESENTATION)
        if presentation is None:
            raise FileUnreadable(f"the file has no {_PRESENTATION}")
        # The numbers in the parts' names say when a slide was made, not where it is shown.
        targets = {found.get("Id"): part for found, part in related(archive, _PRESENTATION)}
        parts = (targets.get(slide.get(f"{R}id")) for slide in presentation.iter(f"{P}sldId"))
        slides = [
            _slide(archive, part, presentation, comments=budgets.comments)
            for part in parts
            if part is not None
        ]
        if slides:
            slides[0].title = title_of(archive, "docProps/core.xml")
    return ProseFile(slides, parser=_PARSER, budgets=budgets, are_sheets=True)


def _slide(archive: ZipFile, part: str, presentation: Element, *, comments: bool) -> Prose:
    prose = Prose()
    root = xml_of(archive, part)
    if root is None:
        return prose
    if root.get("show") in {"0", "false"}:
        prose.hide(_characters(root))
        return prose
    prose.hide(_take_out_hidden_shapes(root, presentation))
    is_struck = _take_out_struck_text(root)
    graphics = graphics_of(archive, part, root)
    _add_shapes(root, prose, graphics.found)
    prose.unread += on_slide(root, presentation)
    parts = [*related(archive, part)]
    prose.unread += unread_parts({beside for _, beside in parts} - graphics.read)
    for relationship, beside in parts if comments else ():
        kind = relationship.get("Type", "").rpartition("/")[2]
        written = xml_of(archive, beside) if kind in {"notesSlide", "comments"} else None
        if written is not None and kind == "notesSlide":
            is_struck |= _take_out_struck_text(written)
            _add_shapes(written, prose, before="Notes: ")
        elif written is not None:
            for text in (*written.iter(f"{P}text"), *written.iter(f"{A}t")):
                prose.paragraph()
                prose.words(remark(text.text or "", of=""))
    if is_struck:
        prose.unread.append(STRUCK)
    return prose


def _characters(node: Element) -> int:
    return sum(len(text.text or "") for text in _walk(node) if text.tag == f"{A}t")


def _take_out_hidden_shapes(root: Element, presentation: Element) -> int:
    """Take out the shapes that no show shows; return how many characters they have."""
    tree = root.find(f"{P}cSld/{P}spTree")
    size = presentation.find(f"{P}sldSz")
    is_moving = next(root.iter(f"{P}animMotion"), None) is not None
    characters = 0
    for around in list(root.iter()):
        hidden = {
            shape
            for shape in around
            if _is_hidden(shape)
            or (around is tree and size is not None and not is_moving and _is_beside(shape, size))
        }
        if hidden:
            around[:] = [shape for shape in around if shape not in hidden]
            characters += sum(map(_characters, hidden))
    return characters


def _is_hidden(shape: Element) -> bool:
    named = shape.find(f"*/{P}cNvPr")
    return named is not None and named.get("hidden") in _ON


def _is_beside(shape: Element, size: Element) -> bool:
    """Say whether a shape lies wholly beside the slide.

    A title there names the slide for its readers all the same: programs advise to place it so.
    """
    if _kind(shape) in _TITLES:
        return False
    places = (shape.find(place) for place in _PLACES)
    place = next((found for found in places if found is not None), None)
    corner = None if place is None else place.find(f"{A}off")
    extent = None if place is None else place.find(f"{A}ext")
    if corner is None or extent is None:
        return False
    return any(
        not -_number(extent, length) <= _number(corner, side) <= _number(size, length)
        for side, length in (("x", "cx"), ("y", "cy"))
    )


def _kind(shape: Element) -> str | None:
    """Return what a layout holds a place for that the shape fills."""
    place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return None if place is None else place.get("type", "")


def _number(node: Element, name: str) -> int:
    stated = node.get(name, "")
    return int(stated) if _WHOLE.fullmatch(stated) else 0


def _take_out_struck_text(root: Element) -> bool:
    """Empty the runs that are struck through; say if there was any."""
    struck = [
        text
        for run in root.iter()
        if run.tag in _RUNS and _said_of(run, "strike") not in {"", "noStrike"}
        for text in run.iter(f"{A}t")
        if text.text
    ]
    for text in struck:
        text.text = ""
    return bool(struck)


def _said_of(run: Element, name: str) -> str:
    properties = run.find(f"{A}rPr")
    return "" if properties is None else properties.get(name, "")


def _add_shapes(
    root: Element, prose: Prose, graphics: Sequence[Graphic] = (), *, before: str = ""
) -> None:
    """Add the texts and tables in the order of the file, which is that of reading them aloud."""
    drawn = {graphic.node: graphic for graphic in graphics}
    for shape in _walk(root):
        if shape.tag == f"{A}tbl":
            _add_table(shape, prose)
        elif shape in drawn:
            drawn[shape].put(prose)
        elif shape.tag == f"{P}sp":
            kind = _kind(shape)
            body = shape.find(f"{P}txBody")
            if body is None or kind in _NOT_TEXT:
                continue
            if kind in _TITLES:
                prose.begin_heading(1)
                prose.words(" ".join(filter(None, map(_text, body.iter(f"{A}p")))))
                prose.end_heading()
                continue
            is_body = kind in _BODIES and not before
            _add_paragraphs(body, prose, is_body=is_body, before=before)
            before = ""


def _add_paragraphs(body: Element, prose: Prose, *, is_body: bool, before: str) -> None:
    """Add the paragraphs of a shape: several of a slide's body are points."""
    prose.paragraph()
    texts = {paragraph: text for paragraph in body.iter(f"{A}p") if (text := _text(paragraph))}
    are_points = any(map(level_of, texts)) or (is_body and len(texts) > 1)
    for mark, (paragraph, text) in zip(
        marks_of(list(texts), are_points=are_points), texts.items(), strict=True
    ):
        prose.line()
        if mark:
            prose.begin_item(mark, depth=level_of(paragraph))
        prose.words(before + text)
        prose.end_marked()
        before = ""
    prose.paragraph()


def _walk(node: Element) -> Iterator[Element]:
    """Yield a node and what is below it, but for the copies that older programs show instead."""
    yield node
    for child in node:
        if child.tag != _FALLBACK:
            yield from _walk(child)


def _add_table(table: Element, prose: Prose) -> None:
    """Add the rows; what a cell says that reaches over others, it says of each of them."""
    prose.paragraph()
    above: dict[int, str] = {}
    for row in table.iter(f"{A}tr"):
        cells = list(row.iter(f"{A}tc"))
        beside = any(cell.get("hMerge") not in _ON for cell in cells[1:])  # or it is a title
        prose.begin_row()
        before = ""
        for index, cell in enumerate(cells):
            text = " ".join(filter(None, map(_text, cell.iter(f"{A}p"))))
            if cell.get("hMerge") in _ON:
                text = before if beside else ""
            elif cell.get("vMerge") in _ON:
                text = above.get(index, "")
            before = above[index] = text
            prose.begin_cell(is_first=index == 0)
            prose.words(text)
        prose.end_marked()
    prose.paragraph()


def _text(paragraph: Element) -> str:
    """Return the words of a paragraph, a break between lines as a space."""
    parts: list[str] = []
    baselines: list[str] = []
    baseline = ""
    for node in paragraph.iter():
        if node.tag == f"{A}br":
            parts.append(" ")
            baselines.append("")
        elif node.tag in _RUNS:
            baseline = _said_of(node, "baseline")
        elif node.tag == f"{A}t":
            parts.append(node.text or "")
            baselines.append(baseline.strip("0%"))
        elif node.tag == _FORMULA:
            parts.append(formula_of(node))
            baselines.append("")
    return "".join(_scripts(parts, baselines)).strip()


def _scripts(parts: Sequence[str], baselines: Sequence[str]) -> Iterator[str]:
    for part, baseline, before, after in zip(
        parts, baselines, ["", *parts], [*parts[1:], ""], strict=False
    ):
        if baseline.startswith("-"):
            yield lowered(part, before=before[-1:], after=after[:1])
        else:
            yield raised(part) if baseline else part
