"""Which lines of a page are headings, and what stands under which."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Final

from pulsedocs.answering.passages import PageText, Words, spans_of
from pulsedocs.answering.sentences import is_ended, is_entry, is_item, is_label, is_options, is_row
from pulsedocs.answering.wording import ITEM_NUMBER

_LONGEST_HEADING: Final = 100  # characters
_MOST_BETWEEN_STEPS: Final = 8  # lines of a command, and of what it prints
_TAB: Final = 8  # columns
_LONGEST_INDENTED: Final = 500  # characters of a line, whose spaces before it are counted
REACH: Final = 40  # sentences up the page in which a heading is looked for
SECTION_NUMBER: Final = re.compile(r"^\d{1,2}(?:\.\d{1,2})*[.)]?\s+(?=[^\W\d])")


def is_heading(words: Words) -> bool:
    """Say whether words are a heading where they stand: a question above its answer, too."""
    at = place_of(words)
    return at < len(spans_of(words.page)) and headings_of(words.page)[at]


def without_section_number(words: Words) -> str:
    """Return words, a heading of the file without its number: "2.7 Voltage" gives no voltage."""
    is_of_file = any(heading.start == words.start for heading in words.page.headings)
    return SECTION_NUMBER.sub("", words.text) if is_of_file else words.text


def own_title(words: Words) -> str:
    """Return the title that a text has over its words, and that a plain file states nowhere else.

    It is the first line of the first page, where that is a heading and no label; "" elsewhere.
    """
    page = words.page
    if page.number > 1 or not place_of(words) or not headings_of(page)[0]:
        return ""
    first = texts_of(page)[0]
    return "" if is_label(first) else first


def headings_over(words: Words) -> list[int]:
    """Return the headings that words stand under, the nearest first.

    A term with its definition indented below it is none of what is indented less, and nothing
    stands under two options of a command, or two labels with their values.
    """
    page, at = words.page, place_of(words)
    headings, spans = headings_of(page), spans_of(page)
    above = [n for n in range(at - 1, max(-1, at - 1 - REACH), -1) if headings[n]]
    outer, others = list[int](), list[int]()
    line = page.text[words.start : words.start + _LONGEST_HEADING].partition("\n")[0]
    told, labels = line if _is_term(line) else "", list[int]()
    start = words.start
    for n in above:
        text = texts_of(page)[n]
        has_value = is_label(text) and not headings[n + 1]
        if told and (is_options(text) or has_value):
            labels += [n] if has_value else []
            continue
        told = told or (text if _is_term(text) else "")
        explained = explained_at(page, n)
        if explained is not None and is_deeper(page, spans[explained].start, start):
            continue
        others.append(n)
        if is_deeper(page, start, spans[n].start):
            outer.append(n)
            start = spans[n].start
    if outer:
        return outer
    leads = len(list(takewhile(lambda n: texts_of(page)[n].endswith(":"), others)))
    # "Ingredients:" stands under the name of a dish
    return others[: leads + 1] + _first_value(page, told, labels)


def _first_value(page: PageText, told: str, labels: Sequence[int]) -> list[int]:
    """Return the first value of the form that a label is in, and its label: whom that is about.

    Of `labels` above it, the nearest first, the form has those up to one that comes again: the next
    person's form is another.
    """
    texts = texts_of(page)
    if not labels or told.strip() == texts[labels[-1]]:
        return []
    seen, own = {told.strip()}, list[int]()
    for n in labels:
        if texts[n] in seen:
            break
        seen.add(texts[n])
        own.append(n)
    return [own[-1] + 1, own[-1]] if own and not is_ended(texts[own[-1] + 1]) else []


def explained_at(page: PageText, term: int) -> int | None:
    """Return the sentence that is indented on the line below a term; None for other headings.

    "-v" and "--verbose" on lines of their own are explained together.
    """
    called = texts_of(page)[term]
    if not headings_of(page)[term] or (called[0].isalpha() and called.isupper()):  # a section's own
        return None
    return _explained(page)[term]


@lru_cache(maxsize=64)  # pages: each line of a table of 400 asked all those below
def _explained(page: PageText) -> tuple[int | None, ...]:
    """Return for each sentence the one indented below it, or below the headings that follow it.

    What an option does stands below it, though the page has lost its indentation or parts them,
    and so does what a label is of.
    """
    spans, headings, texts = spans_of(page), headings_of(page), texts_of(page)
    found: list[int | None] = [None] * len(spans)
    for above, below in reversed(list(pairwise(range(len(spans))))):
        is_term = _is_term(texts[above])
        if page.text[spans[above].end : spans[below].start].count("\n") not in {1, 1 + is_term}:
            continue
        if is_deeper(page, spans[below].start, spans[above].start) or (
            is_term and not headings[below]
        ):
            found[above] = below
        elif headings[below] and not is_deeper(page, spans[above].start, spans[below].start):
            is_alike = is_options(texts[above]) or not _is_term(texts[below])
            found[above] = found[below] if is_alike else None
    return tuple(found)


@lru_cache(maxsize=64)  # pages: each sentence that is looked at asks again
def headings_of(page: PageText) -> tuple[bool, ...]:
    """Return for each sentence of a page whether it is a heading.

    A number before it makes it an item only where the number before or after stands next to it, and
    no heading of the file stands there: section 5 goes on with no list of four.
    """
    spans, texts, between = spans_of(page), texts_of(page), between_steps(page)
    of_file = {heading.start for heading in page.headings}
    listed = [n for n in range(len(spans)) if n not in between]
    numbers = (None, *(item_number(texts[n]) for n in listed), None)
    is_next = {
        n: number is None or number - 1 == above or number + 1 == below
        for n, above, number, below in zip(listed, numbers, numbers[1:], numbers[2:], strict=False)
    }
    found: list[bool] = []
    for at, (span, text) in enumerate(zip(spans, texts, strict=True)):
        is_open = not is_ended(text) or text.endswith("?")
        begins_line = "\n" in page.text[max(0, span.start - 1) : span.start] or not span.start
        ends_line = page.text[span.end : span.end + 1] in {"", "\n"}
        is_of_list = is_item(text) and span.start not in of_file and is_next.get(at, True)
        found.append(
            len(text) <= _LONGEST_HEADING
            and is_open
            and at not in between
            and ((begins_line and ends_line) or not text.endswith("?"))
            and not is_of_list
            and not is_row(text)
            and not (is_entry(text) and any(map(is_entry, _beside(texts, at))))
            and not (_is_below_term(page, at) and not _is_term(text))
            and any(map(str.isalnum, text))  # a line that is drawn under a heading is none
        )
    return tuple(found)


def _beside(texts: Sequence[str], at: int) -> Sequence[str]:
    return (*texts[max(0, at - 1) : at], *texts[at + 1 : at + 2])


def _is_below_term(page: PageText, at: int) -> bool:
    """Say whether a line says what the options on the line above do, or is the value of a label."""
    if not at or not _is_term(above := texts_of(page)[at - 1]):
        return False
    between = page.text[spans_of(page)[at - 1].end : spans_of(page)[at].start]
    is_of_file = any(heading.start == spans_of(page)[at].start for heading in page.headings)
    return not is_of_file and (is_label(above) or "\n\n" not in between)


def _is_term(text: str) -> bool:
    """Say whether a line says of what the lines below it speak: options, or a label."""
    return is_options(text) or is_label(text)


@lru_cache(maxsize=64)
def between_steps(page: PageText) -> frozenset[int]:
    """Return the lines of another kind that a numbered step leads to, before the next step.

    "1. Stop it:", below it the command, and "2. Start it." are one list.
    """
    texts = texts_of(page)
    found: set[int] = set()
    for at, text in enumerate(texts):
        number = item_number(text)
        if number is None or not text.endswith(":"):
            continue
        below = range(at + 1, min(len(texts), at + 2 + _MOST_BETWEEN_STEPS))
        following = next((n for n in below if is_item(texts[n])), at)
        if item_number(texts[following]) == number + 1:
            found.update(range(at + 1, following))
    return frozenset(found)


def item_number(text: str) -> int | None:
    match = ITEM_NUMBER.match(text)
    return int(match[1]) if match and match[1] else None


def is_deeper(page: PageText, one: int, other: int) -> bool:
    """Say whether the line of one place of a page is indented more than that of another."""
    return _indentation(page, one) > _indentation(page, other)


def _indentation(page: PageText, place: int) -> int:
    """Return the columns before the line that a place of a page stands on."""
    start = page.text.rfind("\n", 0, place) + 1
    line = page.text[start : start + _LONGEST_INDENTED].partition("\n")[0].expandtabs(_TAB)
    return len(line) - len(line.lstrip())


def place_of(words: Words) -> int:
    spans = spans_of(words.page)
    return next((n for n, span in enumerate(spans) if span.start >= words.start), len(spans))


@lru_cache(maxsize=64)
def texts_of(page: PageText) -> tuple[str, ...]:
    return tuple(page.text[span.start : span.end] for span in spans_of(page))
