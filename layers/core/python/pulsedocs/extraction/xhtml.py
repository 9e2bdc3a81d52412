"""Reads XHTML: as HTML, once that says the same.

In HTML `<title/>` and `<div hidden/>` stay open, and hide all that follows. Browsers read so what
is said to be HTML, whatever it says itself; of XHTML, as of the chapters of a book, they know it.
"""

import re
from html import escape

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.html import file_of
from pulsedocs.extraction.prose import ProseFile

_SHORT_TAG = re.compile(r"<([a-zA-Z][\w:.-]{0,40})(\s[^<>]{0,5000})?/>")
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 -- as a list it takes 15 lines
)
_COMMENT_OR_CDATA = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?:(.*?)\]\]>|.*)",  # to the end, if it has none of its own
    re.DOTALL,
)
_OF_PROGRAMS = ("script", "style")


def open_xhtml(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, TooMuchText and TooManyPages."""
    return file_of(html_of(decoded(body)), budgets=budgets)


def html_of(xhtml: str) -> str:
    """Return XHTML with a tag of its own behind every empty element, and without CDATA."""

    def closed(match: re.Match[str]) -> str:
        name, attributes = match[1], match[2] or ""
        return match[0] if name.lower() in _VOID else f"<{name}{attributes}></{name}>"

    return _SHORT_TAG.sub(closed, _without_cdata(xhtml))


def _without_cdata(xhtml: str) -> str:
    """Return what CDATA says as text, which HTML takes for a comment."""
    parts: list[str] = []
    end = 0
    for found in _COMMENT_OR_CDATA.finditer(xhtml):
        said = found[1]
        if said is None:
            continue
        before = xhtml[end : found.start()]
        is_code = any(before.rfind(f"<{tag}") > before.rfind(f"</{tag}") for tag in _OF_PROGRAMS)
        parts += [before, said if is_code else escape(said)]
        end = found.end()
    return "".join(parts) + xhtml[end:]
