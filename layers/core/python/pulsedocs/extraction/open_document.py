"""Reads text of OpenDocument (ODT, ISO 26300) by way of HTML; deleted and hidden text is not in it.

Footnotes follow the text, and their numbers stand where they are called. Comments come last, each
behind its author.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from posixpath import normpath
from xml.etree.ElementTree import Element, SubElement
from zipfile import ZipFile

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, title_of, xml_beside, xml_of
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.charts import Chart
from pulsedocs.extraction.html import LABELLED_LIST, prose_of
from pulsedocs.extraction.namespaces import DC, DRAW, OFFICE, STYLE, SVG, TABLE, TEXT
from pulsedocs.extraction.office_pictures import in_open_document
from pulsedocs.extraction.open_document_charts import chart_in
from pulsedocs.extraction.open_document_lists import (
    LABELLED,
    list_styles,
    outline_of,
    put_labels,
    unnumbered_styles,
)
from pulsedocs.extraction.open_document_running_lines import put_running_lines
from pulsedocs.extraction.prose import ProseFile
from pulsedocs.extraction.remarks import STRUCK, remark
from pulsedocs.model.plurals import counted

_MATH = "{http://www.w3.org/1998/Math/MathML}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_OBJECTS = frozenset({f"{DRAW}object", f"{DRAW}object-ole"})
_POSITION = f"{STYLE}text-position"  # `super 58%`, `-33% 58%`
_DISPLAY = f"{TEXT}display"
_LINE_THROUGH = f"{STYLE}text-line-through-style"
_CREATOR = f"{DC}creator"
_TAGS = {
    f"{TEXT}p": "p",
    f"{TEXT}list": "ul",
    f"{TEXT}list-item": "li",
    f"{TABLE}table": "table",
    f"{TABLE}table-row": "tr",
    f"{TABLE}table-cell": "td",
    f"{TEXT}ruby": "ruby",
    f"{TEXT}ruby-text": "rt",
    "sup": "sup",
    "sub": "sub",
}
_REACH = {
    f"{TABLE}number-columns-spanned": "colspan",
    f"{TABLE}number-rows-spanned": "rowspan",
}
_REPEATED = f"{TABLE}number-columns-repeated"
_MOST_REPEATED = 50  # empty cells fill a row to the edge of the sheet
_SPACES = {f"{TEXT}s": " ", f"{TEXT}tab": " ", f"{TEXT}line-break": "<br>"}
_NOT_SHOWN = frozenset(
    {
        f"{TEXT}tracked-changes",
        f"{TEXT}hidden-text",
        f"{TEXT}hidden-paragraph",
        f"{TEXT}note-citation",
        f"{TEXT}sequence-decls",
        f"{TABLE}covered-table-cell",
        f"{OFFICE}annotation",
        f"{OFFICE}forms",
        f"{SVG}title",
        f"{SVG}desc",
        *(
            f"{TEXT}{index}-source"  # what an index is made by
            for index in (
                *("alphabetical-index", "bibliography", "illustration-index", "object-index"),
                *("table-index", "table-of-content", "user-index"),
            )
        ),
    }
)


def open_odt(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        content = xml_of(archive, "content.xml")
        text = None if content is None else content.find(f"{OFFICE}body/{OFFICE}text")
        if text is None:
            raise FileUnreadable("the file is OpenDocument, but has no text document in it")
        styles = xml_of(archive, "styles.xml")
        hidden = struck = 0
        # The styles of headers and footers may have the names of others of the text.
        masters = None if styles is None else styles.find(f"{OFFICE}master-styles")
        for root, styled in ((text, (styles, content)), (masters, (styles,))):
            if root is not None:
                _mark_scripts(root, _said_by_styles(_POSITION, *styled))
                hidden += _take_out_hidden_text(root, _said_by_styles(_DISPLAY, *styled))
                struck += _take_out_struck_text(root, _said_by_styles(_LINE_THROUGH, *styled))
        put_labels(
            text,
            list_styles(styles, content),
            outline_of(styles),
            unnumbered_styles(styles, content),
        )
        put_running_lines(text, styles, content)
        unread = list(_put_objects(archive, text))
        comments = text.iter(f"{OFFICE}annotation") if budgets.comments else ()
        notes: list[Element] = []
        html = [*_html(text, notes), "<ol>"]
        for note in notes:  # which grows where notes have notes
            html += ("<li>", *_html(note, notes), "</li>")
        prose = prose_of("".join((*html, "</ol>", *map(_comment, comments))))
        prose.title = title_of(archive, "meta.xml")
        if struck:
            prose.unread.append(STRUCK)
        prose.unread += [*unread, *in_open_document(text)]
        prose.hide(hidden)
    return ProseFile([prose], parser="open_document", budgets=budgets)


def _put_objects(archive: ZipFile, text: Element) -> Iterator[str]:
    """Put formulas and charts, each a file of its own, where they are drawn; name other files."""
    found: Counter[str] = Counter()
    put: set[str] = set()  # drawn many times, a formula of 20 kB is one of 20 MB
    for frame, node in [
        (each, node) for each in text.iter() for node in each if node.tag in _OBJECTS
    ]:
        folder = normpath(node.get(_HREF, ""))
        root = None if folder in put else xml_beside(archive, f"{folder}/content.xml")
        put.add(folder)
        if root is not None and root.tag == f"{_MATH}math":
            node.append(root)
        elif not len(node):
            chart = None if root is None else chart_in(root)
            if chart is not None:
                node.extend(_written(chart))
                for picture in frame.findall(f"{DRAW}image") if chart.is_read else ():
                    frame.remove(picture)  # of the chart, for other programs
            if chart is None or not chart.is_read:
                found["embedded file" if chart is None else "chart"] += 1
    for kind, count in found.items():
        yield counted(count, kind)


def _written(chart: Chart) -> Iterator[Element]:
    yield _paragraph(chart.title)
    for rows in chart.tables:
        table = Element(f"{TABLE}table")
        for row in rows:
            line = SubElement(table, f"{TABLE}table-row")
            for cell in row:
                SubElement(line, f"{TABLE}table-cell").append(_paragraph(cell))
        yield table


def _paragraph(words: str) -> Element:
    paragraph = Element(f"{TEXT}p")
    paragraph.text = words
    return paragraph


def _said_by_styles(attribute: str, *styled: Element | None) -> dict[str, str]:
    """Return what styles say of a text by their names; of those with one name the last counts."""
    said: dict[tuple[str, str], str] = {}
    for root in styled:
        for style in () if root is None else root.iter(f"{STYLE}style"):
            stated = (each.get(attribute, "") for each in style.findall(f"{STYLE}text-properties"))
            # Those of paragraphs and of words may have the same name.
            family = style.get(f"{STYLE}family", "")
            said[family, style.get(f"{STYLE}name", "")] = " ".join(stated).strip()
    return {name: stated for (_, name), stated in said.items() if stated}


def _mark_scripts(text: Element, positions: Mapping[str, str]) -> None:
    """Call raised and lowered text by the tags of HTML, whichever styles say so."""
    tags = {
        name: "sub" if position.startswith(("sub", "-")) else "sup"
        for name, position in positions.items()
        if not position.startswith("0")
    }
    for span in text.iter(f"{TEXT}span"):
        span.tag = tags.get(span.get(f"{TEXT}style-name", ""), span.tag)


def _comment(node: Element) -> str:
    author = node.findtext(_CREATOR, "").strip()
    words = " ".join("".join(each.itertext()) for each in node.iter(f"{TEXT}p"))
    return f"<p>{escape(remark(words, of=author))}</p>"


def _take_out_hidden_text(text: Element, displayed: Mapping[str, str]) -> int:
    """Empty what is hidden, by itself or by its style; return how many characters it had."""
    hidden = 0
    for node in text.iter():
        if node.get(_DISPLAY) == "none" or "none" in _of_style(displayed, node).split():
            hidden += _emptied(node)
    return hidden


def _take_out_struck_text(text: Element, lines: Mapping[str, str]) -> int:
    """Empty what a style strikes through, but for words in it whose own style does not.

    Return how many characters went.
    """
    struck = 0
    for node in text.iter():
        if _of_style(lines, node) in {"", "none"}:
            continue
        kept = [each for each in node.findall(f"{TEXT}span") if _of_style(lines, each) == "none"]
        struck += _emptied(node)
        for each in kept:
            each.tail = None
            struck -= len("".join(each.itertext()))
        node.extend(kept)
    return struck


def _of_style(said: Mapping[str, str], node: Element) -> str:
    return said.get(node.get(f"{TEXT}style-name", ""), "")


def _emptied(node: Element) -> int:
    """Empty a node and return how many characters it had."""
    characters = sum(map(len, node.itertext()))
    tail = node.tail
    node.clear()
    node.tail = tail
    return characters


def _html(node: Element, notes: list[Element]) -> Iterator[str]:
    """Yield what a node says, but for the notes called in it, which it adds to `notes`."""
    tag = _TAGS.get(node.tag)
    if node.tag.startswith(_MATH):
        tag = node.tag.removeprefix(_MATH)
    elif node.tag == f"{TEXT}h":
        level = node.get(f"{TEXT}outline-level", "1")
        tag = f"h{min(6, max(1, int(level) if level.isdecimal() else 1))}"
    if node.tag == f"{TEXT}note-body":
        notes.append(Element("note"))
        notes[-1].extend(node)
        yield f"[{len(notes)}]"
        return
    if tag == "ul" and node.get(LABELLED):
        tag = "ol"
        yield LABELLED_LIST
    elif tag == "td":
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
            yield from _html(child, notes)
            yield escape(child.tail or "")
    if tag:
        yield f"</{tag}>"
