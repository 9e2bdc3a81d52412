"""What stands over a sentence: the title, the headings, the head of its table, what "it" means."""

from itertools import dropwhile, pairwise, takewhile
from typing import Final

from pulsedocs.answering.around.headings import (
    REACH,
    SECTION_NUMBER,
    explained_at,
    headings_of,
    headings_over,
    own_title,
    place_of,
    texts_of,
)
from pulsedocs.answering.around.lists import lead_at
from pulsedocs.answering.around.referring import BACK, sentences_referred_to
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.passages import Block, PageText, Words, spans_of
from pulsedocs.answering.sentences import is_item, is_label, is_row
from pulsedocs.answering.tables import Row
from pulsedocs.model.lists import items_around

_LONGEST_LABEL: Final = 3  # words: "Water pump.", before what a paragraph says of it


def in_context(
    words: Words, row: Row | None, *, question: str, is_foreign: bool = False
) -> SentenceInContext:
    """Return a sentence as it stands: under its headings, in its passage."""
    block = words.block
    of_table = row.heading if row else ""
    asked, other_days = row.on_days_of(question) if row else (None, "")
    return SentenceInContext(
        text=(asked and asked.spoken) or words.text,
        other_days=other_days,
        governing="\n".join(
            (
                *(SECTION_NUMBER.sub("", above) for above in (*words.section, *_above(words, row))),
                of_table,
            )
        ),
        passage=block.text,
        title=_called(block, question),
        referred=""
        if row
        else " ".join(sentences_referred_to(words)),  # "IT" in a cell means nothing before
        page=words.page.text,
        is_named_row=row is not None and row.is_named_in(question),
        is_foreign=is_foreign,
    )


def _called(block: Block, question: str) -> str:
    """Return what a document is called, and two words of a question that its name joins.

    A file of American Express is AMERICANEXPRESS_2022.
    """
    words = [word.casefold() for word in PART.findall(block.called)]
    asked = PART.findall(question)
    return " ".join(
        (
            block.called,
            *(
                f"{one} {other}"
                for one, other in pairwise(asked)
                if f"{one}{other}".casefold() in words
            ),
        )
    )


def read_after(words: Words) -> str:
    """Return what has to be read before words to understand them.

    A question, a list's lead-in, or the heading that a term stands under: "Exit status", over "3".
    """
    headings, texts, at = headings_of(words.page), texts_of(words.page), place_of(words)
    if at < len(texts) and texts[at] != words.text and explained_at(words.page, at) is not None:
        over = headings_over(words)
        return texts[over[0]] if over else ""
    if is_item(words.text):
        lead = lead_at(words)
        if lead is None:
            return ""
        above = next((n for n in range(lead - 1, -1, -1) if headings[n]), None)
        return " ".join(texts[n] for n in (above, lead) if n is not None)
    heading = next((n for n in range(at - 1, -1, -1) if headings[n]), None)
    return texts[heading] if heading is not None and texts[heading].endswith("?") else ""


def _above(words: Words, row: Row | None) -> list[str]:
    """Return the headings, what leads into a list, and the sentences that "it" refers to."""
    page, at = words.page, place_of(words)
    texts = texts_of(page)
    found = [texts[n] for n in headings_over(words)]
    if title := own_title(words):
        found.append(title)
    before = texts[max(0, at - REACH) : at][::-1]
    if is_item(words.text):
        found += [text for text in before if not is_item(text)][:1]
        found += [page.text[slice(*item)] for item in items_around(page.text, words.start)]
    if row is not None:  # what is said before a table, behind another one, is said of its rows
        up = dropwhile(is_row, before)
        return found + [*takewhile(lambda text: not is_row(text), up)][:BACK]
    return [*found, *_labels(page, at), *sentences_referred_to(words)]


def _labels(page: PageText, at: int) -> list[str]:
    """Return the few words, each with a stop, that a paragraph begins with and is about, if any.

    "Article 4. Late return. Each hour ..." begins with two.
    """
    spans, texts = spans_of(page), texts_of(page)
    headings = {heading.start for heading in page.headings}
    first = min(at, len(spans) - 1)
    while first and not (first < at and (is_item(texts[first]) or spans[first].start in headings)):
        if "\n\n" in page.text[spans[first - 1].end : spans[first].start]:
            break
        first -= 1
    return list(takewhile(_is_short, texts[first:at]))


def _is_short(text: str) -> bool:
    return not is_label(text) and len(SECTION_NUMBER.sub("", text).split()) <= _LONGEST_LABEL
