"""Reads messages (EML, RFC 5322): subject, who, when, the text, and messages that are within.

Attachments are only named; of an invitation its calendar says what it is to.
"""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from html import escape
from itertools import groupby
from typing import Any, cast

from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import codec_of
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.invitations import events_of
from pulsedocs.extraction.prose import Prose, ProseFile
from pulsedocs.extraction.storable import storable

_HEADERS = ("From", "To", "Cc", "Date")
_DEEPEST = 5  # forwarded messages within each other
_PLAIN = "text/plain"
_CALENDAR = "text/calendar"
_READ = (_PLAIN, "text/html", "multipart/")
_ASCII = frozenset({"ascii", "us-ascii"})  # many who say so write UTF-8
_UTF = frozenset({"utf-8", "utf8", "utf-16", "utf-16be", "utf-16le"})
_WORD = re.compile(r"\w+")
_OF_ADDRESS = re.compile(r"://|@|\bwww\.|\bcid:")
"""In what plain texts have for the links and pictures of the HTML."""
_FEWEST_UNSAID = 1 / 3  # of the words of the HTML: then a plain text does not stand for it
_RICHER = 2  # times as many words are in one alone as in the other alone
_MARKS = "> \t"
"""Before a line that is quoted."""


class _Policy(EmailPolicy):
    """Reads letters that a header has as they are, not encoded, as those of a text."""

    def header_fetch_parse(self, name: str, value: Any) -> Any:  # noqa: ANN401 -- the library's
        if isinstance(value, str) and not value.isascii():
            value = _readable(value.encode("utf-8", "surrogateescape"))
        return super().header_fetch_parse(name, value)


def open_eml(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TooMuchText and TooManyPages."""
    # The library looks up charsets as they are said, and breaks at one with NUL in it.
    parsed = message_from_bytes(body.replace(b"\0", b""), EmailMessage, policy=_Policy())
    message = cast("EmailMessage", parsed)
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
    elif kind == _CALENDAR:
        yield from _named(part)
    elif part.is_attachment() or not kind.startswith(_READ):
        yield f"<p>Attachment: {escape(part.get_filename() or kind)}</p>"
    elif not kind.startswith("multipart/"):
        yield _text(part) if kind != _PLAIN else "".join(_paragraphs(_text(part)))
    else:
        shown = set(_shown(part, kind, within))
        for each in within:
            if each in shown:
                yield from _part(each, depth=depth)
            else:
                yield from _named(each)


def _shown(whole: EmailMessage, kind: str, parts: list[EmailMessage]) -> list[EmailMessage]:
    """Return the parts that are read: of the same text in several ways the plain one, if it is one.

    Of the others the last one is the richest. What else is related to a text are its pictures.
    """
    if kind == "multipart/related":
        start = whole.get_param("start")
        return [*(each for each in parts if start and each["Content-ID"] == start), *parts][:1]
    if kind != "multipart/alternative":
        return parts
    plain = [each for each in parts if each.get_content_type() == _PLAIN and _text(each).strip()]
    others = [each for each in reversed(parts) if each.get_content_type() != _PLAIN]
    rich = [each for each in others if each.get_content_type().startswith(_READ)]
    if plain and rich and _is_stub(_text(plain[0]), rich[0]):
        return rich[:1]
    return [*plain, *rich, *others][:1]


def _is_stub(plain: str, rich: EmailMessage) -> bool:
    """Say whether a plain text leaves out more of the HTML than that does of it.

    Where neither leaves out much more, figures tell: a table of prices may be in one alone.
    """
    parts = cast("Iterator[EmailMessage]", rich.walk())
    htmls = (_text(each) for each in parts if each.get_content_type() == "text/html")
    shown = {word for each in htmls for word in _words(prose_of(each).text)}
    unsaid = shown - _words(plain)
    without_addresses = " ".join(part for part in plain.split() if not _OF_ADDRESS.search(part))
    unshown = _words(without_addresses) - shown
    if len(unsaid) > max(_FEWEST_UNSAID * len(shown), _RICHER * len(unshown)):
        return True
    is_richer = len(unshown) > _RICHER * len(unsaid)
    return not is_richer and _figures(unsaid) > _figures(unshown)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _figures(words: set[str]) -> int:
    return sum(any(map(str.isdecimal, word)) for word in words)


def _named(part: EmailMessage) -> Iterator[str]:
    """Name the attachments of a part that is not read, and files that do not say they are some.

    An invitation says in its calendar alone when it is for, and where.
    """
    for each in cast("Iterator[EmailMessage]", part.walk()):
        if each.get_content_type() == _CALENDAR and not each.is_attachment():
            yield from events_of(_text(each))
        is_file = each.get_filename() is not None and each.get_content_maintype() != "image"
        if is_file or each.is_attachment():
            yield f"<p>Attachment: {escape(each.get_filename() or each.get_content_type())}</p>"


def _text(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    charset = part.get_content_charset() or ""
    body = payload if isinstance(payload, bytes) else b""
    known = charset if charset in _UTF else codec_of("" if charset in _ASCII else charset)
    return storable(body.decode(known, "replace") if known else _readable(body))


def _readable(body: bytes) -> str:
    """Return a text that does not say its encoding: UTF-8, else what old mail programs write."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a plain text; what it quotes begins others, without its marks."""
    for (_, has_words), lines in groupby(text.split("\n"), key=_depth):
        if has_words:
            yield f"<p>{'<br>'.join(escape(line.lstrip(_MARKS)) for line in lines)}</p>"


def _depth(line: str) -> tuple[int, bool]:
    """Return how many quotes a line lies in, and whether it says anything."""
    words = line.lstrip(_MARKS)
    return line[: len(line) - len(words)].count(">"), bool(words)
