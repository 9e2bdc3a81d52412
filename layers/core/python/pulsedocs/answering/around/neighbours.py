"""A sentence with the one before or after it, or with the term that it explains."""

from dataclasses import replace

from pulsedocs.answering.around.headings import explained_at, headings_of, place_of, texts_of
from pulsedocs.answering.passages import Words, spans_of
from pulsedocs.answering.sentences import is_ended, is_item, is_label


def with_one_before(words: Words) -> Words | None:
    """Return words with the sentence before them in their paragraph."""
    page, at = words.page, place_of(words)
    spans = spans_of(page)
    if not at or headings_of(page)[at - 1] or is_item(words.text):
        return None
    before = spans[at - 1]
    if "\n\n" in page.text[before.end : words.start]:
        return None
    return replace(words, start=before.start)


def next_to(words: Words) -> Words | None:
    """Return the sentence after one in its paragraph, or below a heading."""
    page, at = words.page, place_of(words)
    spans, headings = spans_of(page), headings_of(page)
    if at + 1 >= len(spans) or headings[at + 1] or is_item(texts_of(page)[at + 1]):
        return None
    following = spans[at + 1]
    if not headings[at] and "\n\n" in page.text[words.end : following.start]:
        return None
    return replace(words, start=following.start, end=following.end)


def with_its_term(words: Words) -> Words:
    """Return the first sentence of a definition with the terms above it, and others as they are.

    "-v, --verbose", and below it "Say more.": it does not name what it explains. Nor does a value
    below its label, "Affiliation:".
    """
    page, at = words.page, place_of(words)
    first = at
    while first and not is_item(words.text) and explained_at(page, first - 1) == at:
        first -= 1
    if is_label(texts_of(page)[first]) and not is_ended(words.text):
        return words  # the label leads to lines, of which this is one
    return words if first == at else replace(words, start=spans_of(page)[first].start)
