"""The pages of a passage in the order in which a reader should open them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Final

from pulsedocs.model.letters import WORD_CHARACTERS
from pulsedocs.model.retrieval import Candidate

_STEM: Final = 6  # letters: "deliver" and "deliveries" are one word
_WORD: Final = re.compile(WORD_CHARACTERS)


def with_pages_by_words(candidates: Sequence[Candidate], question: str) -> tuple[Candidate, ...]:
    """Return the candidates, the page that has most of the question's words first in each.

    A word counts by how rare it is among the passages found; pages that have as much keep their
    order. A passage over two pages is otherwise named by the first, which has often no more of the
    answer than the end of the paragraph before.
    """
    asked = _words(question)
    having = Counter(word for one in candidates for word in asked & _words(one.text))
    weights = {
        word: log(1 + (len(candidates) - count + 0.5) / (count + 0.5))  # as BM25 weighs it
        for word, count in having.items()
    }
    return tuple(
        replace(one, pages=_ordered(one, weights)) if len(one.pages) > 1 else one
        for one in candidates
    )


def narrowed(candidates: Sequence[Candidate], pages: Sequence[int]) -> tuple[Candidate, ...]:
    """Return the candidates on pages, each without those that are not asked about."""
    return tuple(
        replace(one, pages=own)
        for one in candidates
        if (own := tuple(page for page in one.pages if page in pages))
    )


def _ordered(candidate: Candidate, weights: dict[str, float]) -> tuple[int, ...]:
    found: dict[int, set[str]] = {page: set() for page in candidate.pages}
    start = 0
    for page, first, last in candidate.spans:
        end = start + last - first
        if page in found:
            found[page].update(_words(candidate.text[start:end]))
        start = end + 1  # the parts are joined by a newline
    has = {page: sum(weights.get(word, 0.0) for word in sorted(own)) for page, own in found.items()}
    return tuple(sorted(found, key=lambda page: (-has[page], page)))


def _words(text: str) -> set[str]:
    """Return words cut to their beginnings; figures are words here."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return {word[:_STEM] for word in words}
