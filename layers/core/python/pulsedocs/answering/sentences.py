"""Where sentences start and end, by rule: the same text always splits alike, without a model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

_MAX_SENTENCE = 600  # a "sentence" of a table or a list without stops would fill an answer alone
_WIDEST = 90  # characters of a full line, at most: one long line does not make others short
_NEARBY = 40  # characters around a stop that decide whether it ends a sentence
_SHORT = 0.7  # of a full line
LONGEST_ROW = 300  # characters: beyond, it is no row, and looking would take its square in time

_NEVER_LAST: Final = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "rev", "hon", "gen", "col", "sgt", "capt"),
        *("vs", "eg", "ie", "cf", "e.g", "i.e", "al", "approx", "ca", "resp", "incl"),
        *("fig", "figs", "eq", "eqs", "sec", "ch", "art", "pp", "ed", "eds", "vol"),
        *("bzw", "z.b", "d.h", "u.a", "nr", "abs"),
    )
)
_LAST_UNLESS_NUMBERED: Final = frozenset(["no", "nos", "p", "pos", "item", "para", "clause"])

# Written as escapes, since most of these look like others: the ellipsis and the full stops of
# Chinese and Japanese; then what may close a quotation or a parenthesis after one.
_STOPS = ".!?\u2026"
WIDE_STOPS = "\u3002\uff01\uff1f"
CLOSERS = "\"'\u201d\u2019\u00bb)\\]\u300d\u300f\uff09"
_BULLETS = "*\u2022\u2023\u25aa\u2013-"

CELL: Final = (
    r"(?:[-+(\u2212\u2013]?[$\u20ac\u00a3]?\d[\d.,'\u2019]*\)?(?:\s?%)?|[-\u2013\u2014]|n/a)"
)
"""A figure of a table, as a pattern, or the dash that stands for none."""

STOP: Final = f"[{_STOPS}{WIDE_STOPS}]+[{CLOSERS}]*"
"""A sentence's end, as a pattern."""

_STOP = re.compile(f"[{_STOPS}]+[{CLOSERS}]*(?=\\s)|[{WIDE_STOPS}]+[{CLOSERS}]*")
_FINAL_STOP = re.compile(f"{STOP}$")
_ITEM = re.compile(rf"\s*(?:[{_BULLETS}]|\d{{1,3}}[.)]|\([a-z0-9]{{1,3}}\))\s")
_ROW = re.compile(rf"[^\W\d].*?(?:\s+{CELL}){{2,}}")
_LAST_WORD = re.compile("([\\w.\u00b0]+)$")  # the degree sign: the C of 45 \u00b0C is no initial


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Return the sentences of a text, without the white space around them.

    Blank lines, list items, headings and table rows end a sentence; a line break does not. One
    longer than 600 characters is cut at a space.
    """
    return [
        part
        for block in _blocks(text)
        for sentence in _sentences(text, block)
        for part in _parts(text, sentence)
    ]


def before_final_stop(text: str) -> int:
    """Return where the stop that ends a sentence begins; its length where there is none."""
    stop = _FINAL_STOP.search(text)
    return stop.start() if stop else len(text)


def is_item(text: str) -> bool:
    """Return whether a text starts as an item of a list does."""
    return _ITEM.match(text) is not None


def is_row(line: str) -> bool:
    """Return whether a line is a row of a table: a label, then two figures or more."""
    return len(line) <= LONGEST_ROW and _ROW.fullmatch(line.strip()) is not None


def _blocks(text: str) -> Iterator[Span]:
    """Yield stretches that no sentence crosses."""
    lines = text.splitlines(keepends=True)
    full = min(_WIDEST, max((len(line) for line in lines), default=0))
    start, position = 0, 0
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        position += len(line)
        if _ends_block(line.strip(), following, full=full):
            yield Span(start, position)
            start = position


def _ends_block(line: str, following: str, *, full: int) -> bool:
    """Return whether a line is the last of its block: of a paragraph, a heading, a table row.

    A line that a paragraph goes on after is about as long as its page is wide; one that stops
    short of that without a stop is a heading or a row.
    """
    if not line or not following.strip() or _ITEM.match(following):
        return True
    if is_row(line) or is_row(following):
        return True
    stops_short = len(line) < _SHORT * full and line[-1] not in ".,;:!?-"
    return stops_short and not following.lstrip()[0].islower()


def _sentences(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    for stop in _STOP.finditer(text, block.start, block.end):
        before = text[max(start, stop.start() - _NEARBY) : stop.start()]
        after = text[stop.end() : min(stop.end() + _NEARBY, block.end)]
        if _is_end(before, stop.group(), after):
            yield Span(start, stop.end())
            start = stop.end()
    yield Span(start, block.end)


def _is_end(before: str, stop: str, after: str) -> bool:
    follows = after.lstrip()[:1]
    if follows.islower():
        return False
    if not stop.startswith(".") or stop.startswith(".."):
        return True
    match = _LAST_WORD.search(before)
    word = match.group().lower() if match else ""
    if word in _NEVER_LAST or (word in _LAST_UNLESS_NUMBERED and follows.isdigit()):
        return False
    initial = len(word) == 1 and word.isalpha()
    numbered = word.isdigit() and before.strip() == word  # "1." of a list
    return not initial and not numbered


def _parts(text: str, sentence: Span) -> Iterator[Span]:
    span = _trimmed(text, sentence)
    while span.end - span.start > _MAX_SENTENCE:
        space = text.rfind(" ", span.start + 1, span.start + _MAX_SENTENCE)
        cut = space if space > 0 else span.start + _MAX_SENTENCE
        yield _trimmed(text, Span(span.start, cut))
        span = _trimmed(text, Span(cut, span.end))
    if span.end > span.start:
        yield span


def _trimmed(text: str, span: Span) -> Span:
    stretch = text[span.start : span.end]
    start = span.start + len(stretch) - len(stretch.lstrip())
    return Span(start, max(start, span.start + len(stretch.rstrip())))
