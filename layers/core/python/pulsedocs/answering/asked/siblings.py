"""Things named beside each other: what is said of one of them is not said of another."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.terms import PART
from pulsedocs.answering.sentences import split_sentences

_CAPITAL: Final = r"[A-Z\u00c0-\u00de]"
_NAME: Final = (
    rf"(?:{_CAPITAL}[^\W\d_]{{2,}}|[a-z]{{1,3}}{_CAPITAL}[^\W\d_]+)"
    rf"(?:[ -]{_CAPITAL}[^\W\d_]+){{0,3}}"
)
_EXPLAINED: Final = r"(?: \([^()\n]{1,40}\))?"
_ITEM: Final = rf"(?:[a-z]{{1,4}} ){{0,2}}{_NAME}{_EXPLAINED}"
_JOINED: Final = r",? (?:and|or|und|oder|et|ou|y|e|o)"  # Dutch "en" and "of" are "in" elsewhere
_LIST: Final = re.compile(
    rf"\b[^\W\d_]{{3,}}(?:, [^\W\d_]{{3,}}){{1,20}}{_JOINED} [^\W\d_]{{3,}}\b"
    rf"|{_NAME}{_EXPLAINED}(?:, {_ITEM}){{0,20}}{_JOINED} {_ITEM}"
)
"""Alton, Burwell and Cray Hill; "for Malmo and for Lund"; oak, beech and ash."""
_BETWEEN: Final = re.compile(rf"{_JOINED} |, ")
_NAMES: Final = re.compile(_NAME)
_FEWEST: Final = 3  # of two words that are no names one often explains the other
_PARAGRAPH_END: Final = re.compile(r"\n[ \t]*\n")
_Listed = tuple[str, Sequence[frozenset[str]]]


def things_displaced(
    question: str, terms: Sequence[str], sentence: SentenceInContext
) -> Iterator[str]:
    """Yield the terms of a question in whose place a sentence has what is listed beside them.

    "We have rooms in Alton and Burwell. The room in Burwell costs 40 euros." gives no price of the
    room in Alton. Of two sentences read together none may speak of one alone, and none of both.
    """
    asked = words_of(question)
    for term in terms:
        lists = _lists_with(term, sentence.page)
        others = frozenset(chain.from_iterable(others for _, others in lists)) - asked
        if not others or is_said(term, words_of(_without(lists, sentence.governing))):
            continue
        read = [sentence.referred, *_sentences_of(sentence.text)]
        of_others = [not others.isdisjoint(words_of(_without(lists, one))) for one in read]
        of_term = [is_said(term, words_of(one)) for one in read]
        if any(of_others) and not any(map(min, of_others, of_term)):
            yield term


def _sentences_of(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def _lists_with(term: str, page: str) -> list[tuple[str, frozenset[str]]]:
    """Return the lists on a page that have a term in one place, each with its other words."""
    found: list[tuple[str, frozenset[str]]] = []
    for listed, names in _lists_in(page):
        own = [words for words in names if is_said(term, words)]
        if len(own) == 1:
            found.append((listed, frozenset(chain.from_iterable(names)) - own[0]))
    return found


@lru_cache(maxsize=64)  # pages: each sentence asks
def _lists_in(page: str) -> list[_Listed]:
    """Return the lists on a page; the "Meals and Money" of a heading are no names."""
    in_small_letters = frozenset(word for word in PART.findall(page) if word.islower())
    found = (
        (listed[0], [_words_of_names(item) for item in _BETWEEN.split(listed[0])])
        for paragraph in _PARAGRAPH_END.split(page)
        for listed in _LIST.finditer(_plain(paragraph))
    )
    return [
        (listed, names)
        for listed, names in found
        if len(names) >= _FEWEST or in_small_letters.isdisjoint(chain.from_iterable(names))
    ]


def _words_of_names(item: str) -> frozenset[str]:
    """Return the words of the names in an item, "for Malmo"; all of one that has no name."""
    return words_of(" ".join(_NAMES.findall(item)) or item)


def _without(lists: Sequence[tuple[str, frozenset[str]]], text: str) -> str:
    plain = _plain(text)
    for listed, _ in lists:
        plain = plain.replace(listed, " ")
    return plain


def _plain(text: str) -> str:
    return " ".join(text.split())
