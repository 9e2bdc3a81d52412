"""What stands over the cells of a workbook's sheets: charts, diagrams and text boxes.

The values of a chart are mostly cells of a sheet that is read; then only its title and what its
axes are called are added. Those of a hidden sheet or of another file are seen in the chart alone.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from pulsedocs.extraction.archives import related, unread_parts, xml_beside, xml_of
from pulsedocs.extraction.graphics import graphics_of
from pulsedocs.extraction.namespaces import MC, A, R
from pulsedocs.extraction.prose import Prose
from pulsedocs.model.plurals import counted

_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_XDR: Final = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN: Final = "xl/workbook.xml"
_DRAWING: Final = re.compile(r"xl/drawings/drawing\d*\.xml")
_WITHOUT_RESULT: Final = re.compile(rb"</f>\s*(?:</c>|<v\s*/>|<v></v>)|<f\b[^>]*/>\s*</c>")
_ON: Final = frozenset({"1", "true"})


class SheetPart(NamedTuple):
    part: str
    is_shown: bool


def parts_of_sheets(archive: ZipFile) -> dict[str, SheetPart]:
    """Return the part of each sheet by its name."""
    root = xml_of(archive, _MAIN)
    targets = {found.get("Id"): part for found, part in related(archive, _MAIN)}
    return {
        sheet.get("name", ""): SheetPart(
            targets.get(sheet.get(f"{R}id"), ""), sheet.get("state", "visible") == "visible"
        )
        for sheet in (() if root is None else root.iter(f"{_S}sheet"))
    }


def add_beside(archive: ZipFile, sheet: str, prose: Prose, *, sheets: dict[str, SheetPart]) -> None:
    """Add what stands over the cells of a sheet, and name what is not read of it."""
    beside = {part for _, part in related(archive, sheet)}
    unread = set(beside)
    for drawing in sorted(filter(_DRAWING.fullmatch, beside)):
        unread |= {part for _, part in related(archive, drawing)}
        root = xml_beside(archive, drawing)
        if root is None:
            prose.unread += ["text boxes"] if drawing in archive.NameToInfo else []
            continue
        graphics = graphics_of(
            archive, drawing, root, is_shown=lambda name: name in sheets and sheets[name].is_shown
        )
        drawn = {graphic.node: graphic for graphic in graphics.found}
        for node in _walk(root):
            if node in drawn:
                drawn[node].put(prose)
            elif node.tag == f"{_XDR}txBody":
                _add_text(node, prose)
        unread -= graphics.read
    prose.unread += unread_parts(unread)
    content = archive.read(sheet) if sheet in archive.NameToInfo else b""
    if bare := len(_WITHOUT_RESULT.findall(content)):
        prose.unread.append(f"{counted(bare, 'formula')} without a saved result")


def _walk(node: Element) -> Iterator[Element]:
    """Yield what is shown of a drawing.

    For older programs Excel writes there that a newer kind of chart cannot be shown.
    """
    named = node.find(f"*/{_XDR}cNvPr")
    if node.tag == f"{MC}Fallback" or (named is not None and named.get("hidden") in _ON):
        return
    yield node
    for child in node:
        yield from _walk(child)


def _add_text(body: Element, prose: Prose) -> None:
    prose.paragraph()
    for paragraph in body.iter(f"{A}p"):
        prose.line()
        for text in paragraph.iter():
            prose.words(" " if text.tag == f"{A}br" else text.text or "")
    prose.paragraph()
