"""Reads Word files (DOCX) by way of HTML, with all tracked changes accepted, or rejected.

That a change leaves text out is named. Text that Word hides or sets smaller than 1.5 pt is left out
and counted. Comments follow the text, each behind its author.
"""

import re
from collections.abc import Iterator
from html import escape
from io import BytesIO
from typing import Any
from xml.etree.ElementTree import Element, tostring
from zipfile import ZipFile

import mammoth

from pulsedocs.extraction.archives import (
    open_archive,
    related,
    rewritten,
    title_of,
    unread_parts,
    xml_beside,
    xml_of,
)
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.graphics import graphics_of
from pulsedocs.extraction.html import LABELLED_LIST, prose_of
from pulsedocs.extraction.namespaces import W
from pulsedocs.extraction.office_pictures import in_word
from pulsedocs.extraction.prose import ProseFile
from pulsedocs.extraction.remarks import remark
from pulsedocs.extraction.unseen import SMALLEST
from pulsedocs.extraction.word_fields import take_out_instructions
from pulsedocs.extraction.word_graphics import POINTS, put_graphics
from pulsedocs.extraction.word_numbering import Numbering, put_labels
from pulsedocs.extraction.word_running_lines import put_running_lines, running_parts
from pulsedocs.extraction.word_styles import VALUE, Styles, is_on, nodes_of, say_headings
from pulsedocs.extraction.word_unfolding import put_out_text_boxes, unfold

_PARSER = "word"
_SETTINGS = "word/settings.xml"
_UNDONE = {
    f"{W}{change}": f"{W}{other}"
    for one, two in (("ins", "del"), ("moveTo", "moveFrom"))
    for change, other in ((one, two), (two, one))
} | {f"{W}delText": f"{W}t"}
_LEFT_OUT = (f"{W}del", f"{W}moveFrom")
_NUMBER = re.compile(r"[0-9]{1,4}")
_STYLES = f"""
p[style-name='Title'] => h1:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
{POINTS}
"""
_WRITTEN = {
    re.compile(r' ?<a href="#(?:foot|end)note-ref-[0-9]{1,9}">↑</a>'): "",
    re.compile(r'<ol>(?!<li id="(?:foot|end)note-)'): LABELLED_LIST,
}
"""What the library writes, and what stands for it here."""


def open_docx(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        named = _parts_of(body)
        with_text = (named.main_document, named.footnotes, named.endnotes)
        parts = {name: root for name in with_text if (root := xml_of(archive, name)) is not None}
        styles = Styles(xml_of(archive, named.styles))
        numbering = Numbering(xml_of(archive, named.numbering))
        running = running_parts(archive, named.main_document)
        shown = [*parts.values(), *(root for root in running.values() if root is not None)]
        for root in shown:
            if not budgets.changes:
                _undo_changes(root)
            take_out_instructions(root)
        hidden = sum(_take_out_hidden_text(root, styles) for root in shown)
        is_left_out = any(_has_left_out(root) for root in shown)
        graphics = graphics_of(archive, named.main_document, parts[named.main_document])
        put_graphics(parts[named.main_document], graphics.found)
        settings = xml_beside(archive, _SETTINGS)
        put_running_lines(parts[named.main_document], running, settings=settings)
        for root in parts.values():
            put_out_text_boxes(root)
            put_labels(root, numbering, styles)
            say_headings(root, styles)
            unfold(root)
        converted: Any = mammoth.convert_to_html(
            BytesIO(_with_parts(archive, parts)),
            style_map=_STYLES,
            include_embedded_style_map=False,  # a file does not decide how it is read
            convert_image=_leave_out,
        )
        comments = _comments(xml_of(archive, named.comments)) if budgets.comments else ()
        html = converted.value
        for tag, shown in _WRITTEN.items():
            html = tag.sub(shown, html)
        prose = prose_of(html + "".join(comments))
        prose.title = title_of(archive, "docProps/core.xml")
        if None in running.values():
            prose.unread.append("headers and footers")
        if is_left_out:
            prose.unread.append(f"{'deleted' if budgets.changes else 'inserted'} text")
        if any(next(root.iter(f"{W}altChunk"), None) is not None for root in parts.values()):
            prose.unread.append("text inserted from another file")
        prose.unread += in_word(parts[named.main_document])
        read = graphics.read.union(  # with the workbooks that charts are drawn from
            *({beside for _, beside in related(archive, part)} for part in graphics.read)
        )
        prose.unread += unread_parts(frozenset(archive.namelist()) - read)
    prose.hide(hidden)
    return ProseFile([prose], parser=_PARSER, budgets=budgets)


def _parts_of(body: bytes) -> Any:  # noqa: ANN401 -- the library's, without types
    """Return the names of the parts as the library finds them.

    A file could name its parts so that another search finds others than those that are read then.
    """
    library: Any = mammoth
    return library.docx._find_part_paths(library.zips.open_zip(BytesIO(body), "r"))  # noqa: SLF001 -- as above


def _leave_out(_picture: object) -> list[object]:
    return []


def _undo_changes(root: Element) -> None:
    """Call what was inserted deleted and the other way round: accepted, it is the text before."""
    for each in root.iter():
        each.tag = _UNDONE.get(each.tag, each.tag)


def _has_left_out(root: Element) -> bool:
    return any(
        text.text
        for tag in _LEFT_OUT
        for change in root.iter(tag)
        for text in change.iter()
        if text.tag in {f"{W}t", f"{W}delText"}
    )


def _take_out_hidden_text(root: Element, styles: Styles) -> int:
    """Empty the runs that nobody sees, and return how many characters they had."""
    hidden = 0
    for node, paragraph in nodes_of(root):
        if node.tag != f"{W}r":
            continue
        size = styles.said_of_run(node, paragraph, "sz")
        half_points = "" if size is None else size.get(VALUE, "")
        is_tiny = _NUMBER.fullmatch(half_points) is not None and int(half_points) < 2 * SMALLEST
        if is_tiny or is_on(styles.said_of_run(node, paragraph, "vanish")):
            hidden += sum(len(text.text or "") for text in node.iter(f"{W}t"))
            node.clear()
    return hidden


def _with_parts(archive: ZipFile, parts: dict[str, Element]) -> bytes:
    written = {name: tostring(root) for name, root in parts.items()}
    return rewritten(archive, written.get)


def _comments(root: Element | None) -> Iterator[str]:
    for comment in () if root is None else root.iter(f"{W}comment"):
        paragraphs = (
            "".join(text.text or "" for text in paragraph.iter(f"{W}t"))
            for paragraph in comment.iter(f"{W}p")
        )
        author = comment.get(f"{W}author", "")
        yield f"<p>{escape(remark(' '.join(paragraphs), of=author))}</p>"
