"""Reads text of OpenDocument (ODT, ISO 26300) by way of HTML; deleted and hidden text is not in it.

Footnotes stand where they are called. Comments follow the text, each behind its author.
"""

import re
from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, title_of, xml_of
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.office_pictures import in_open_document
from pulsedocs.extraction.prose import ProseFile

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_POSITION = f"{_STYLE}text-position"  # `super 58%`, `-33% 58%`
_HEADER, _FOOTER = f"{_STYLE}header", f"{_STYLE}footer"
_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
_WORD = re.compile(r"[^\W\d_]{2}")
_TAGS = {
    f"{_TEXT}p": "p",
    f"{_TEXT}list": "ul",
    f"{_TEXT}list-item": "li",
    f"{_TABLE}table": "table",
    f"{_TABLE}table-row": "tr",
    f"{_TABLE}table-cell": "td",
    "sup": "sup",
    "sub": "sub",
}
_REACH = {
    f"{_TABLE}number-columns-spanned": "colspan",
    f"{_TABLE}number-rows-spanned": "rowspan",
}
_REPEATED = f"{_TABLE}number-columns-repeated"
_MOST_REPEATED = 50  # empty cells fill a row to the edge of the sheet
_SPACES = {f"{_TEXT}s": " ", f"{_TEXT}tab": " ", f"{_TEXT}line-break": "<br>"}
_NOT_SHOWN = frozenset(
    {
        f"{_TEXT}tracked-changes",
        f"{_TEXT}hidden-text",
        f"{_TEXT}hidden-paragraph",
        f"{_TEXT}note-citation",
        f"{_TEXT}sequence-decls",
        f"{_TABLE}covered-table-cell",
        f"{_OFFICE}annotation",
        f"{_OFFICE}forms",
    }
)


def open_odt(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        content = xml_of(archive, "content.xml")
        text = None if content is None else content.find(f"{_OFFICE}body/{_OFFICE}text")
        if text is None:
            raise FileUnreadable("the file is OpenDocument, but has no text document in it")
        _mark_scripts(text, content, xml_of(archive, "styles.xml"))
        comments = text.iter(f"{_OFFICE}annotation") if budgets.comments else ()
        prose = prose_of("".join((*_html(text), *map(_comment, comments))))
        prose.title = title_of(archive, "meta.xml")
        if _has_running_lines(archive):
            prose.unread.append("headers and footers")
        prose.unread += in_open_document(text)
    return ProseFile([prose], parser="open_document", budgets=budgets)


def _mark_scripts(text: Element, *styled: Element | None) -> None:
    """Call raised and lowered text by the tags of HTML, whichever styles say so."""
    tags: dict[str | None, str] = {}
    for root in styled:
        for style in () if root is None else root.iter(f"{_STYLE}style"):
            properties = style.find(f"{_STYLE}text-properties")
            position = "" if properties is None else properties.get(_POSITION, "")
            if position and not position.startswith("0"):
                tag = "sub" if position.startswith(("sub", "-")) else "sup"
                tags[style.get(f"{_STYLE}name")] = tag
    for span in text.iter(f"{_TEXT}span"):
        span.tag = tags.get(span.get(f"{_TEXT}style-name"), span.tag)


def _comment(node: Element) -> str:
    author = node.findtext(_CREATOR, "").strip()
    words = " ".join("".join(each.itertext()) for each in node.iter(f"{_TEXT}p"))
    return f"<p>Comment {escape(f'({author})' if author else '')}: {escape(words)}</p>"


def _has_running_lines(archive: ZipFile) -> bool:
    styles = xml_of(archive, "styles.xml")
    lines = () if styles is None else (*styles.iter(_HEADER), *styles.iter(_FOOTER))
    return any(_WORD.search("".join(line.itertext())) for line in lines)


def _html(node: Element) -> Iterator[str]:
    tag = _TAGS.get(node.tag)
    if node.tag == f"{_TEXT}h":
        level = node.get(f"{_TEXT}outline-level", "1")
        tag = f"h{min(6, max(1, int(level) if level.isdecimal() else 1))}"
    if tag == "td":
        reach = "".join(
            f' {name}="{escape(stated)}"'
            for attribute, name in _REACH.items()
            if (stated := node.get(attribute))
        )
        repeated = node.get(_REPEATED, "1")
        empty = int(repeated) - 1 if repeated.isdecimal() and len(repeated) < len("12345") else 0
        yield "<td></td>" * min(empty, _MOST_REPEATED) + f"<td{reach}>"
    else:
        yield f"<{tag}>" if tag else _SPACES.get(node.tag, "")
    if node.tag not in _NOT_SHOWN:
        yield escape(node.text or "")
        for child in node:
            yield from _html(child)
            yield escape(child.tail or "")
    if tag:
        yield f"</{tag}>"
