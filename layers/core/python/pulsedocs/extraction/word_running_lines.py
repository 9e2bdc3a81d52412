"""Puts the headers and footers of a Word file where its sections begin and end, each line once.

What stands on every page is read on the first of them, as it is of a PDF.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from pulsedocs.extraction.archives import related, xml_beside
from pulsedocs.extraction.namespaces import R, W
from pulsedocs.extraction.running_lines import is_number_of_page, take_new
from pulsedocs.extraction.word_styles import PARAGRAPH, is_on

_HEADER: Final = f"{W}headerReference"
_FOOTER: Final = f"{W}footerReference"
_SECTION: Final = f"{W}sectPr"
_INSTRUCTION: Final = f"{W}instr"
_OF_A_HEADING: Final = frozenset({f"{W}pStyle", f"{W}outlineLvl"})
_DRAWN: Final = frozenset({f"{W}drawing", f"{W}pict"})
_TABS: Final = frozenset({f"{W}tab", f"{W}ptab"})
_NUMBER_OF_PAGES: Final = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)


def running_parts(archive: ZipFile, document: str) -> dict[str, Element | None]:
    """Return headers and footers by the ids that sections call them by; None for a damaged one."""
    roots: dict[str, Element | None] = {}
    ids: dict[str, str] = {}
    for relationship, part in related(archive, document):
        if relationship.get("Type", "").endswith(("/header", "/footer")):
            if part not in roots:
                roots[part] = xml_beside(archive, part)
            ids[relationship.get("Id", "")] = part
    return {name: roots[part] for name, part in ids.items()}


def put_running_lines(
    document: Element, parts: Mapping[str, Element | None], *, settings: Element | None
) -> None:
    """Put them as paragraphs of the text; what the text has as a paragraph itself is not put."""
    body = document.find(f"{W}body")
    if body is None or not parts:
        return
    kinds = {"default"}
    if settings is not None and is_on(settings.find(f"{W}evenAndOddHeaders")):
        kinds.add("even")
    said = {_words(each) for each in body}
    called: dict[tuple[str, str], str] = {}  # a section that calls none has those before it
    written: list[Element] = []
    section: list[Element] = []
    for block in body:
        section.append(block)
        properties = next(block.iter(_SECTION), None)
        if properties is None:
            continue
        called |= {
            (call.tag, call.get(f"{W}type", "default")): call.get(f"{R}id", "")
            for call in properties
            if call.tag in {_HEADER, _FOOTER}
        }
        shown = kinds | {"first"} if is_on(properties.find(f"{W}titlePg")) else kinds
        for tag in (_HEADER, _FOOTER):
            roots = [
                parts.get(called.get((tag, kind), ""))
                for kind in ("first", "default", "even")
                if kind in shown
            ]
            lines = [line for root in roots if root is not None for line in _lines(root, said)]
            section = [*lines, *section] if tag == _HEADER else [*section, *lines]
        written += section
        section = []
    body[:] = [*written, *section]


def _lines(root: Element, said: set[str]) -> Iterator[Element]:
    """Yield the blocks of a header that nothing said before, without what makes headings."""
    for block in list(root):
        for paragraph in list(block.iter(PARAGRAPH)):
            if _is_number_of_page(paragraph):
                paragraph.clear()
        if not take_new(_words(block), said, numbers_pages=_numbers_pages(block)):
            continue
        for node in block.iter():
            for name in [name for name in node.attrib if name.startswith(R)]:
                del node.attrib[name]  # they lead from the header's part, not from the text's
            if node.tag == f"{W}pPr":
                node[:] = [each for each in node if each.tag not in _OF_A_HEADING | {f"{W}tabs"}]
            elif node.tag in _TABS:
                node.tag = f"{W}br"  # what stands at the left, in the middle and at the right
        yield block


def _words(block: Element) -> str:
    return "".join(
        (node.text or "") if node.tag == f"{W}t" else node.get("string", "")
        for node in block.iter()
    ).strip()


def _is_number_of_page(paragraph: Element) -> bool:
    return (
        _numbers_pages(paragraph)
        and is_number_of_page(_words(paragraph))
        and not any(node.tag in _DRAWN for node in paragraph.iter())
    )


def _numbers_pages(block: Element) -> bool:
    return any(
        _NUMBER_OF_PAGES.match(node.get(_INSTRUCTION, ""))
        or (node.tag == f"{W}instrText" and _NUMBER_OF_PAGES.match(node.text or ""))
        for node in block.iter()
    )
