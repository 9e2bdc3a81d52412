"""Lists and lines for a shell, with what leads into them."""

import re
from dataclasses import replace
from typing import Final

from pulsedocs.answering.around.headings import (
    between_steps,
    headings_of,
    is_deeper,
    item_number,
    place_of,
    texts_of,
)
from pulsedocs.answering.passages import PageText, Words, spans_of
from pulsedocs.answering.sentences import is_ended, is_item, is_label, is_labelled, is_row
from pulsedocs.answering.wording import is_negated

_MOST_ITEMS: Final = 20
_LONGEST_LIST: Final = 2000  # characters, about two thirds of a page
_LONGEST_LINES: Final = 600  # characters of lines and what leads to them: as a sentence
_ANNOUNCES: Final = re.compile(
    r"\b(?:(?P<below>the following|as follows|folgende[nrsm]?|wie folgt|suivante?s?|ci-dessous"
    r"|siguientes?|seguenti|seguintes?|volgende)|these(?=(?: [\w-]+){0,2}\W*$))\b",
    re.IGNORECASE,
)
"""What points to the list below: "You need the following.", "in these steps"."""
_COMMAND: Final = re.compile(r"(?:[$>%#] )?(?:[A-Z_]+=\S* )*[a-z~./@$][\w./@:+-]*\s+\S")
"""How lines for a shell begin: "make layers", "$ ./run --all", "STAGE=dev make up"."""


def lead_of(words: Words, *, is_any: bool = False) -> Words | None:
    """Return the clause that an item of a list ends; None where a heading or a label is over it.

    Of "Do not put in the machine:" and below it "copper" the second alone says the contrary, also
    where a clause that denies is as short as a label: "You may not:". Where it `is_any`, a heading
    or a label is one too.
    """
    lead = lead_at(words) if is_item(words.text) else None
    if lead is None:
        return None
    above = texts_of(words.page)[lead]
    is_title = headings_of(words.page)[lead] or is_label(above)
    if is_title and not (is_any or is_negated(above)):
        return None
    span = spans_of(words.page)[lead]
    return replace(words, start=span.start, end=span.end)


def lead_at(words: Words) -> int | None:
    """Return what leads into the list that an item is of: the sentence above its first item.

    Or the one before that, if it says of the list that it follows: "You need the following parts.
    These numbers are no limits."
    """
    texts, at = texts_of(words.page), place_of(words)
    lead = next((n for n in range(at - 1, -1, -1) if not is_item(texts[n])), None)
    if lead and not texts[lead].endswith(":") and _tells_of_below(words.page, lead - 1):
        return lead - 1
    return lead if lead is not None and _leads(texts[lead]) else None


def _tells_of_below(page: PageText, at: int) -> bool:
    """Say whether a sentence with another behind it in its paragraph announces what follows."""
    text, spans = texts_of(page)[at], spans_of(page)
    is_apart = "\n\n" in page.text[spans[at].end : spans[at + 1].start]
    if is_apart or headings_of(page)[at] or is_item(text) or not announces(text):
        return False
    return any(found["below"] for found in _ANNOUNCES.finditer(text))


def _leads(text: str) -> bool:
    return text.endswith(":") or announces(text)


def announces(text: str) -> bool:
    """Say whether a sentence points to a list below it, and says little without: "these steps"."""
    return is_ended(text) and _ANNOUNCES.search(text) is not None


def list_under(words: Words, *, leads: bool = False) -> tuple[Words, Words] | None:
    """Return what leads into a list, beginning with some words, and the list with its lead.

    None where none follows, or a long one. Where a paragraph stands between a heading and its
    numbered steps, both lead into it, and the list is the steps alone. A heading leads into a list,
    what ends in a colon, and what announces one; any sentence before one where the caller knows
    that it `leads`. An item leads into those that are indented deeper: "(1) Without consent:", over
    "a) hamsters".
    """
    page, texts, at = words.page, texts_of(words.page), place_of(words)
    spans, headings = spans_of(page), headings_of(page)
    is_lead = at < len(spans) and (leads or _leads(texts[at]) or headings[at])
    is_clause = is_lead and is_item(words.text) and not headings[at]
    if not is_lead or (is_clause and not texts[at].endswith(":")):
        return None
    first = at + 1
    if headings[at] and not texts[at].endswith(":"):
        below = range(first, len(spans))
        ends = next((n for n in below if headings[n] or is_item(texts[n])), first)
        if ends > first and not headings[ends] and item_number(texts[ends]) == 1:
            first = ends
    last, items = first - 1, 0
    for following in range(first, len(spans)):
        goes_on = "\n" not in page.text[spans[following - 1].end : spans[following].start]
        goes_on = goes_on or following in between_steps(page)
        if is_clause and not is_deeper(page, spans[following].start, words.start):
            break
        if headings[following] or not (is_item(texts[following]) or (items and goes_on)):
            break
        last, items = following, items + is_item(texts[following])
    start = words.start if first == at + 1 else spans[first].start
    end = spans[last].end
    if items < len("ab") or items > _MOST_ITEMS or end - start > _LONGEST_LIST:
        return None
    lead = replace(words, end=spans[first - 1].end)
    return lead, replace(words, start=start, end=end)


def lines_under(words: Words, *, commands: bool) -> Words | None:
    """Return what leads to lines of another kind with those lines: a command, an address.

    They end at a blank line, a heading of the file, a sentence, an item and a labelled line. None
    for what leads to anything else. What ends in a colon leads to any, and to `commands` whatever
    stands over them.
    """
    page, texts, at = words.page, texts_of(words.page), place_of(words)
    spans = spans_of(page)
    if at >= len(spans) or is_row(texts[at]):
        return None
    if not (texts[at].endswith(":") or (commands and _is_over_command(page, at))):
        return None
    of_file = {heading.start for heading in page.headings}
    last = at
    for following in range(at + 1, len(spans)):
        is_apart = "\n\n" in page.text[spans[following - 1].end : spans[following].start]
        text = texts[following]
        is_apart = (is_apart and last > at) or spans[following].start in of_file
        if is_apart or not _is_line(text):
            break
        last = following
    end = spans[last].end
    if last == at or end - words.start > _LONGEST_LINES:
        return None
    return replace(words, end=end)


def _is_over_command(page: PageText, at: int) -> bool:
    """Say whether a heading or a sentence stands over lines for a shell."""
    texts, spans = texts_of(page), spans_of(page)
    if at + 1 >= len(texts) or not (headings_of(page)[at] or is_ended(texts[at])):
        return False
    below = texts[at + 1]
    begins_line = "\n" in page.text[spans[at].end : spans[at + 1].start]
    is_command = _COMMAND.match(below) is not None and _COMMAND.match(texts[at]) is None
    return begins_line and is_command and _is_line(below)


def over_command(words: Words) -> bool:
    """Say whether the lines that some words lead to are for a shell, by the first of them."""
    _, *below = (line.strip() for line in words.text.splitlines() if line.strip())
    return bool(below) and _COMMAND.match(below[0]) is not None


def _is_line(text: str) -> bool:
    """Say whether a line is no sentence, lead, item, label or row; "pip install ." is one."""
    is_sentence = (is_ended(text) and not text.endswith(" .")) or text.endswith(":")
    return not (is_sentence or is_item(text) or is_labelled(text) or is_row(text))
