"""Reads messages (EML, RFC 5322): subject, who, when, the text, and messages that are within.

Attachments are only named.
"""

from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape
from typing import cast

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import codec_of
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.storable import storable

_HEADERS = ("From", "To", "Cc", "Date")
_DEEPEST = 5  # forwarded messages within each other
_PLAIN = "text/plain"
_READ = (_PLAIN, "text/html", "multipart/")
_ASCII = frozenset({"ascii", "us-ascii"})  # is UTF-8, and many who say so write UTF-8
_WIDE = frozenset({"utf-16", "utf-16be", "utf-16le"})


def open_eml(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TooMuchText and TooManyPages."""
    # The library looks up charsets as they are said, and breaks at one with NUL in it.
    message = message_from_bytes(body.replace(b"\0", b""), EmailMessage, policy=default)
    prose = Prose()
    for html in _message(message, depth=1):
        prose_of(html, behind=prose)
    prose.title = str(message.get("Subject", "")) or None
    return ProseFile([prose], parser="mail", budgets=budgets)


def _message(message: EmailMessage, *, depth: int) -> Iterator[str]:
    """Yield what a message says, each part as an HTML text that hides words of its own only."""
    people = (f"{name}: {escape(str(message[name]))}<br>" for name in _HEADERS if message[name])
    subject = escape(str(message.get("Subject", "")))
    yield f"<h{depth}>{subject}</h{depth}><p>{''.join(people)}</p>"
    yield from _part(message, depth=depth)


def _part(part: EmailMessage, *, depth: int) -> Iterator[str]:
    kind = part.get_content_type()
    within = cast("list[EmailMessage]", part.get_payload() if part.is_multipart() else [])
    if kind == "message/rfc822" and within and depth < _DEEPEST:
        yield from _message(within[0], depth=depth + 1)
    elif part.is_attachment() or not kind.startswith(_READ):
        yield f"<p>Attachment: {escape(part.get_filename() or kind)}</p>"
    elif not kind.startswith("multipart/"):
        yield _text(part) if kind != _PLAIN else "".join(_paragraphs(_text(part)))
    else:
        shown = set(_shown(kind, within))
        for each in within:
            if each in shown:
                yield from _part(each, depth=depth)
            else:
                yield from _named(each)


def _shown(kind: str, parts: list[EmailMessage]) -> list[EmailMessage]:
    """Return the parts that are read: of the same text in several ways the plain one, with words.

    Of the others the last one is the richest. What else is related to a text are its pictures.
    """
    if kind == "multipart/related":
        return parts[:1]
    if kind != "multipart/alternative":
        return parts
    plain = [each for each in parts if each.get_content_type() == _PLAIN and _text(each).strip()]
    others = [each for each in reversed(parts) if each.get_content_type() != _PLAIN]
    rich = [each for each in others if each.get_content_type().startswith(_READ)]
    return [*plain, *rich, *others][:1]


def _named(part: EmailMessage) -> Iterator[str]:
    """Name the attachments of a part that is not read, and files that do not say they are some."""
    for each in cast("Iterator[EmailMessage]", part.walk()):
        is_file = each.get_filename() is not None and each.get_content_maintype() != "image"
        if is_file or each.is_attachment():
            yield f"<p>Attachment: {escape(each.get_filename() or each.get_content_type())}</p>"


def _text(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    charset = part.get_content_charset() or ""
    body = payload if isinstance(payload, bytes) else b""
    known = charset if charset in _WIDE else codec_of(charset)
    return storable(body.decode("utf-8" if charset in _ASCII else known or "utf-8", "replace"))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield f"<p>{escape(paragraph).replace(chr(10), '<br>')}</p>"
