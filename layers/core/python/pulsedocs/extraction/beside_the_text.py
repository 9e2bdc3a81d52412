"""What a PDF has beside the text of its pages: comments, files, and forms in XFA.

A comment is marked as such: it is somebody's word on the page, not the page's own.
"""

from collections.abc import Iterator
from typing import Final

from pulsedocs.extraction import pdfium
from pulsedocs.extraction.pdfium import Handle
from pulsedocs.extraction.remarks import remark

_MOST: Final = 200  # comments of a page; the rest are counted
_LONGEST: Final = 5_000  # characters
_NAMED: Final = 10  # attachments


def comments_of(page: Handle) -> Iterator[tuple[bool, str]]:
    """Yield each comment on a page in a line, and whether it is typed on the page itself."""
    left = 0
    for index in range(pdfium.count_annotations(page)):
        annotation = pdfium.annotation_at(page, index)
        if not annotation:
            continue
        kind = pdfium.annotation_kind(annotation)
        if kind in pdfium.COMMENTS and not pdfium.annotation_flags(annotation) & pdfium.HIDDEN:
            words = " ".join(pdfium.annotation_text(annotation, b"Contents").split())
            if words and index < _MOST:
                author = " ".join(pdfium.annotation_text(annotation, b"T").split())
                yield kind == pdfium.COMMENT_ON_PAGE, remark(words[:_LONGEST], of=author)
            left += bool(words) and index >= _MOST
        pdfium.close_annotation(annotation)
    if left:
        yield False, f"Comments that were left out: {left}"


def unread_of(document: Handle) -> Iterator[str]:
    """Name the files within a file, and a form in XFA."""
    count = pdfium.count_attachments(document)
    for index in range(min(count, _NAMED)):
        attachment = pdfium.attachment_at(document, index)
        name = pdfium.string(pdfium.attachment_name, attachment) if attachment else ""
        yield f"attachment {' '.join(name.split()) or index + 1}"
    if count > _NAMED:
        yield f"{count - _NAMED} more attachments"
    if pdfium.form_type(document) in pdfium.FORMS_IN_XFA:
        yield "a form in XFA, whose fields only some programs show"
