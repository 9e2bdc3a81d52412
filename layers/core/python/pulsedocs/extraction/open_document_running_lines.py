"""Puts headers and footers of OpenDocument text around the pages that have them, each line once."""

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from pulsedocs.extraction.namespaces import STYLE, TABLE, TEXT
from pulsedocs.extraction.running_lines import is_number_of_page, take_new

_KINDS: Final = ("-first", "", "-left")
_NAME: Final = f"{STYLE}name"
_STYLE_NAMES: Final = (f"{TEXT}style-name", f"{TABLE}style-name")
_SHOWING_TEXT: Final = frozenset(
    {f"{TEXT}p", f"{TEXT}h", f"{TEXT}list", f"{TEXT}section", f"{TABLE}table"}
)
_NUMBERS: Final = frozenset({f"{TEXT}page-number", f"{TEXT}page-count"})


def put_running_lines(text: Element, styles: Element | None, content: Element | None) -> None:
    """Put them as paragraphs of the text; what the text has as a paragraph itself is not put.

    A page is of a master until a paragraph's style begins another one.
    """
    if styles is None:
        return
    masters = {each.get(_NAME, ""): each for each in styles.iter(f"{STYLE}master-page")}
    begun_by = {
        style.get(_NAME, ""): master
        for root in (styles, content)
        if root is not None
        for style in root.iter(f"{STYLE}style")
        if (master := style.get(f"{STYLE}master-page-name"))
    }
    usual = "Standard" if "Standard" in masters else next(iter(masters), "")
    said = {_words(each) for each in text}
    written: list[Element] = []
    footers: list[Element] = []
    is_begun = False
    for block in text:
        if block.tag in _SHOWING_TEXT:
            named = (node.get(name, "") for node in block.iter() for name in _STYLE_NAMES)
            master = next((begun_by[name] for name in named if name in begun_by), None)
            if master or not is_begun:
                written += footers
                pages = list(_with_next_ones(masters, master or usual))
                written += _lines(pages, "header", said)
                footers = list(_lines(pages, "footer", said))
                is_begun = True
        written.append(block)
    text[:] = [*written, *footers]


def _with_next_ones(masters: Mapping[str, Element], name: str) -> Iterator[Element]:
    seen: set[str] = set()
    while name in masters and name not in seen:
        seen.add(name)
        yield masters[name]
        name = masters[name].get(f"{STYLE}next-style-name", "")


def _lines(pages: list[Element], tag: str, said: set[str]) -> Iterator[Element]:
    """Yield the blocks of headers or footers that nothing said before, without headings."""
    shown = (
        block
        for page in pages
        for kind in _KINDS
        for each in page.findall(f"{STYLE}{tag}{kind}")
        if each.get(f"{STYLE}display") != "false"
        for block in each
    )
    for block in shown:
        words = _words(block)
        numbers_pages = any(node.tag in _NUMBERS for node in block.iter())
        if numbers_pages and is_number_of_page(words):
            continue
        if take_new(words, said, numbers_pages=numbers_pages):
            for node in block.iter():
                if node.tag == f"{TEXT}h":
                    node.tag = f"{TEXT}p"
                elif node.tag == f"{TEXT}tab":
                    node.tag = f"{TEXT}line-break"
            yield block


def _words(block: Element) -> str:
    return "".join(block.itertext()).strip()
