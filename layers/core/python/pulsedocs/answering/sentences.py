"""Where sentences start and end, by rule: the same text always splits alike, without a model."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pulsedocs.answering.languages import SMALL_IN_ANY
from pulsedocs.model.currencies import CURRENCY_SIGNS
from pulsedocs.model.letters import WITHOUT_SPACES
from pulsedocs.model.sentences import CLOSERS, STOPS, WIDE_STOPS, sentence_ends
from pulsedocs.model.tables import has_cells

_MAX_SENTENCE = 600  # a "sentence" of a table or a list without stops would fill an answer alone
_WIDEST = 90  # characters of a full line, at most: one long line does not make others short
_SHORT = 0.7  # of a full line
_AROUND = 3  # lines before and after one, that tell how wide its column is
_NARROWEST = 30  # characters of a column's full line
_LONGEST_TERM = 3  # words
_FEWEST_ROWS = 3  # that make a table of lines which could be prose by themselves
_FIGURES_OF_A_ROW = 0.25  # of its words, at least; prose has fewer
LONGEST_ROW = 300  # characters: beyond, it is no row, and looking would take its square in time

_BULLETS = "*\u2022\u2023\u25aa\u2013-"

CELL: Final = (
    rf"(?:[-+(\u2212\u2013]?[{CURRENCY_SIGNS}]?\d(?:[\d.,'\u2019]*\d)?\)?(?:\s?%)?"
    r"|[-\u2013\u2014]|n/a)"
)
"""A figure of a table, as a pattern, or the dash that stands for none; a stop ends a sentence."""

STOP: Final = f"(?<![{STOPS}{WIDE_STOPS}])[{STOPS}{WIDE_STOPS}]+[{CLOSERS}]*"
"""A sentence's end, as a pattern; a run of dots is tried once, not from each of them."""

EMPTY_BOX: Final = r"(?:\u2610|\[ \])"
TICKED_BOX: Final = r"(?:[\u2611\u2612]|\[[xX]\])"
"""A box of a form or of a list of tasks, as a pattern."""

_ENDS = f"{STOPS}{WIDE_STOPS}:"
_FINAL_STOP = re.compile(f"{STOP}$")
_BEFORE_BOX = re.compile(rf"\s(?:{EMPTY_BOX}|{TICKED_BOX})$")
_GLYPHS = "lnqv\u00d8\u00fc"  # what fonts of symbols call their dots, squares and arrows
_OPTION = r"--?[A-Za-z?][\w-]*(?:\[?=\S+|\s(?:[A-Z][A-Z\d_-]*|<[^>\s]+>|\[[^\]\s]+\])(?=[\s,|]|$))?"
"""An option of a command, and what it takes: "-k", "--level=N", "-o FILE"."""
_ONLY_OPTIONS = re.compile(
    r"\s*+(?=-)(?=.*?(?<![\w-])-(?:-\w|[A-Za-z?](?![\w-])))"  # "-Apples" alone may be of a list
    # Each read once: "-a=b,-c=d,..." can be parted in 2^n ways, "b,-c=d" is a value too.
    rf"(?>{_OPTION})(?:(?:,\s?|\s?\|\s?|\s)(?>{_OPTION}))*+\s*"
)
_ITEM = re.compile(
    # An option before what it does: two forms of it, or a gap as wide as in a table.
    rf"\s*(?>{_OPTION}(?:(?:,\s?{_OPTION})+|:|(?=[^\S\n]{{2}})))[^\S\n]+(?=\S)"
    rf"|\s*(?:[{_BULLETS}]|{EMPTY_BOX}|{TICKED_BOX}"
    r"|\d{1,3}(?:\.\d{1,3}){0,4}[.)]|\([a-z0-9]{1,3}\)|[a-z]\)"
    rf"|[{_GLYPHS}](?=\s[A-Z\u00c0-\u00de])"
    # An article of rules, in scripts that have no capitals to begin a line of prose with.
    r"|(?:\u0e02\u0e49\u0e2d|\u0e21\u0e32\u0e15\u0e23\u0e32)\s?\d{1,3}"  # Thai
    r"|[\u7b2c\uc81c]\s?[\d\u4e00-\u9fff]{1,3}\s?[\u6761\u689d\uc870]"  # Chinese, Japanese, Korean
    # Only further in: a line of prose may begin with "z. B.".
    r"|(?<=\s)(?:[a-z]|[ivx]{2,4})\.)\s"
)
_BULLET = re.compile(rf"\s*[{_BULLETS}]\s+(?=[^\W\d])")  # before a figure it may be a minus
_MAY_BE_ITEM = re.compile(r"\s*\d{1,3}(?:\.\d{1,3}){1,4}[.)]\s|\s+(?:[a-z]|[ivx]{2,4})\.\s")
"""Or a date, a version or "z. B.", where the line above goes on."""
_CALLED: Final = r"\s*[A-Z\u00c0-\u00de][^\W\d_]*(?:[ -][^\W\d_]+){0,2}[ \u00a0\u202f]?:\s"
"""A name and a colon, before which French has a space."""
_LABEL = re.compile(rf"{_CALLED}(?=\S)")
"""Before a value: a line that begins with one does not go on into another."""
_LABEL_ALONE = re.compile(rf"{_CALLED}*")
"""Before a value on the lines below it: "Affiliation:", if it does not end a line of prose."""
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,3}){2,4}[.)]?\s+[A-Z\u00c0-\u00de]")
"""How the heading of a section begins: "7.1.4 Notify storms"; "1.5 Million" may be a figure."""
_TIME = r"(?:[01]?\d|2[0-4])(?:[:h][0-5]\d|\.[0-5][05])(?:\s?(?:[ap]\.?m\.?|uhr|h)(?!\w))?"
_ENTRY = re.compile(rf"\s*{_TIME}(?:\s?[-\u2013]\s?{_TIME})?\s+(?=[^\W\d_])", re.IGNORECASE)
"""How an entry of a programme begins: "9.30 Keynote", "14:00-15:30 Session A"."""
_NUMBERED = re.compile(rf"\s*(?!{_TIME}\b)\d{{1,2}}\.\d{{1,3}}\.?\s+(?=[^\W\d_])")
"""And how a clause does: of a page with "7.9 Pets", "7.10 Noise" is none at ten past seven."""
_FEWEST_ENTRIES = 3  # lines; fewer may be prose that goes on with a time
_LEADS_ON = re.compile(
    r"(?:^|\s)(?:the|an?|of|and|or|die|das|de[rsmn]|eine?[mnrs]?|und|oder|mit|von|vom|zum|zur"
    r"|f\u00fcr|les?|la|una?|une|des?|du|et|ou|avec|pour|el|las|del\w*|y|con|para|il|gli|di|per|het|een)$"
    r"|.{30}\s(?:in|at|on|by|with|from|to|for|au[fs]|zu|par|dans|los|por|nel\w*|van|voor|met)$"
)
"""What a line ends with that goes on; "How to log in" may be a heading, and is shorter."""
_NO_ROW_ENDS: Final = f".,;:!?-{WIDE_STOPS}"
_CLAUSE: Final = re.compile(rf"[{WITHOUT_SPACES}]{{12,}}")
"""More than a label, where no spaces are between words."""
_ROW = re.compile(rf"[^\W\d].*?(?:\s+{CELL}){{2,}}")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int


def split_sentences(text: str, *, breaks: Container[int] = ()) -> list[Span]:
    """Return the sentences of a text, without the white space around them.

    Blank lines, items, headings, table rows and labelled lines end a sentence; others do not, but
    where the caller knows that one begins at its `breaks`. One longer than 600 characters is cut at
    a space.
    """
    sentences: list[Span] = []
    is_programme = _is_programme(text.splitlines())
    for block in _blocks(text, breaks):
        is_row = has_cells(text[block.start : block.end])  # whose cells may hold stops
        is_row = is_row or (is_programme and _is_entry(text[block.start : block.end]))
        ends = () if is_row else sentence_ends(text, block.start, block.end)
        start = block.start
        item = _ITEM.match(text, start, block.end)
        for end in (*(end for end in ends if item is None or end >= item.end()), block.end):
            span = _trimmed(text, Span(start, end))
            while span.end - span.start > _MAX_SENTENCE:
                space = text.rfind(" ", span.start + 1, span.start + _MAX_SENTENCE)
                cut = space if space > 0 else span.start + _MAX_SENTENCE
                sentences.append(_trimmed(text, Span(span.start, cut)))
                span = _trimmed(text, Span(cut, span.end))
            if span.end > span.start:
                sentences.append(span)
            start = end
    return sentences


def before_final_stop(text: str) -> int:
    """Return where the stop that ends a sentence begins; its length where there is none."""
    stop = _FINAL_STOP.search(text)
    return stop.start() if stop else len(text)


def is_ended(text: str) -> bool:
    """Return whether a text ends with a stop."""
    return before_final_stop(text) < len(text)


def is_item(text: str) -> bool:
    """Return whether a text starts as an item of a list does."""
    return _ITEM.match(text) is not None


def without_bullet(text: str) -> str:
    """Return an item without the sign before it; a number says which of them it is, and stays."""
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else text


def is_options(line: str) -> bool:
    """Return whether a line has options of a command and nothing else: "-k, --keep"."""
    return _ONLY_OPTIONS.fullmatch(line) is not None


def is_label(line: str) -> bool:
    """Return whether a line is a label without its value: "Affiliation:"."""
    return _LABEL_ALONE.fullmatch(line) is not None


def is_labelled(line: str) -> bool:
    """Return whether a line is a label and its value: "Zone: C4"."""
    return "\n" not in line and _LABEL.match(line) is not None


def is_entry(text: str) -> bool:
    """Return whether a text begins as an entry of a programme does, with a time of day."""
    return _ENTRY.match(text) is not None


def is_row(line: str) -> bool:
    """Return whether a line is a row by itself: cells with bars, or a label and two figures."""
    if has_cells(line):
        return True
    return len(line) <= LONGEST_ROW and _ROW.fullmatch(line.strip()) is not None


def rows_among(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is a row of a table.

    Beside those that are by themselves, of three lines or more that are full of figures and have
    no stop: "Otter 4 97 euros first".
    """
    rows = [is_row(line) for line in lines]
    like = [one or _is_like_row(line) for one, line in zip(rows, lines, strict=True)]
    at = 0
    for is_like, group in groupby(like):
        size = len(list(group))
        if is_like and size >= _FEWEST_ROWS:
            rows[at : at + size] = [True] * size
        at += size
    return rows


def _is_like_row(line: str) -> bool:
    line = line.strip()
    if is_item(line):
        return False
    if not line or len(line) > LONGEST_ROW or line[0].islower() or line[-1] in _NO_ROW_ENDS:
        return False
    if _CLAUSE.search(line):
        return False
    words = line.split()
    numbered = sum(any(map(str.isdigit, word)) for word in words)
    return len(words) > 1 and _FIGURES_OF_A_ROW * len(words) <= numbered


def _blocks(text: str, breaks: Container[int]) -> Iterator[Span]:
    """Yield stretches that no sentence crosses."""
    lines = text.splitlines(keepends=True)
    widths = _full_widths(lines)
    rows = rows_among(lines)
    is_form = sum(map(is_label, lines)) > 1
    is_programme = _is_programme(lines)
    start, position = 0, 0
    for at, line in enumerate(lines):
        position += len(line)
        following, after = (*lines[at + 1 : at + 3], "", "")[:2]
        if (
            position in breaks
            or any(rows[at : at + 2])
            or (is_programme and _ENTRY.match(following))
            or _ends_block(line.strip(), following, full=widths[at])
            or (
                (position - len(line) == start or is_ended(lines[at - 1].strip()))
                and _is_title(line.strip(), following, full=widths[at])
            )
            or is_label(text[start:position])
            or (is_form and is_label(following) and _may_end(line.strip()))
            or _is_term(following, above=line.strip(), below=after)
            or (
                _LABEL.match(following)
                and (_LABEL.match(text, start) or _is_value(following, after))
            )
        ):
            yield Span(start, position)
            start = position


def _is_programme(lines: Sequence[str]) -> bool:
    """Say whether lines are, among others, of a programme: several begin with a time of day."""
    entries = [_ENTRY.match(line) is not None for line in lines]
    numbered = (line for line, one in zip(lines, entries, strict=True) if not one)
    return sum(entries) >= _FEWEST_ENTRIES and not any(map(_NUMBERED.match, numbered))


def _is_entry(text: str) -> bool:
    return len(text) <= LONGEST_ROW and is_entry(text)


def _full_widths(lines: Sequence[str]) -> list[int]:
    """Return for each line how wide a full one is there: as the page is, or a column of prose.

    In prose half of the lines around that no stop ends go on with a small letter; in a list few do.
    """
    of_page = min(_WIDEST, max(map(len, lines), default=0))
    goes_on = [below.lstrip()[:1].islower() for below in lines[1:]] + [False]
    is_open = [not is_ended(line.rstrip()) for line in lines]
    found: list[int] = []
    for at in range(len(lines)):
        first, end = max(0, at - _AROUND), at + _AROUND + 1
        on = sum(goes_on[first:end])
        widest = sorted(map(len, lines[first:end]))[-2:][0]  # of two: one may be a heading
        is_prose = 2 * on >= sum(is_open[first:end]) and on and widest >= _NARROWEST
        found.append(min(widest, of_page) if is_prose else of_page)
    return found


def _ends_block(line: str, following: str, *, full: int) -> bool:
    """Return whether a line is the last of its block: of a paragraph or a heading.

    A line that a paragraph goes on after is about as long as its page is wide; one that stops
    short of that without a stop is a heading.
    """
    if not line or not following.strip() or _BEFORE_BOX.search(line):
        return True
    if is_options(line) or is_options(following):
        return True
    if _ITEM.match(following):
        goes_on = line[-1] not in _ENDS and not _ITEM.match(line)
        return not (goes_on and _MAY_BE_ITEM.match(following))
    return _stops_short(line, full=full) and not following.lstrip()[0].islower()


def _stops_short(line: str, *, full: int) -> bool:
    is_short = len(line) < _SHORT * full and line[-1] not in ".,;:!?-/"
    return is_short and _LEADS_ON.search(line) is None


def _is_title(line: str, following: str, *, full: int) -> bool:
    """Return whether a line amid no sentence is the title of a section, over small letters.

    The name of a program may begin a sentence: "7.1.4 Notify storms", and below "upsmon calls". But
    "7.3 Small repairs" goes on in "are paid by the tenant".
    """
    is_section = _SECTION.match(line) is not None and _stops_short(line, full=full)
    return is_section and SMALL_IN_ANY.isdisjoint(following.split()[:1])


def _may_end(line: str) -> bool:
    """Return whether a line above a label may be all of a value: it is short, and leads on not."""
    return len(line) < _SHORT * _WIDEST and _LEADS_ON.search(line) is None


def _is_term(line: str, *, above: str, below: str) -> bool:
    """Return whether a line in small letters is a term, which the next line explains: "dumb"."""
    words = line.split()
    return (
        0 < len(words) <= _LONGEST_TERM
        and words[-1][-1].isalnum()
        and above.endswith(tuple(STOPS))
        and below.lstrip()[:1].isupper()
    )


def _is_value(line: str, below: str) -> bool:
    """Return whether a line with a label is the first of a form's, and no line of prose."""
    return not is_ended(line.strip()) and (not below.strip() or _LABEL.match(below) is not None)


def _trimmed(text: str, span: Span) -> Span:
    stretch = text[span.start : span.end]
    start = span.start + len(stretch) - len(stretch.lstrip())
    return Span(start, max(start, span.start + len(stretch.rstrip())))
