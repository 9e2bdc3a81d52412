"""What a text has in the place of what was asked about: another year, code, number or thing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.match import CODE, SentenceInContext
from pulsedocs.answering.asked.named import A_THING, NUMBERED, numbers_of_things
from pulsedocs.answering.asked.siblings import things_displaced
from pulsedocs.answering.asked.terms import letters_in
from pulsedocs.model.years import COMPARED, YEAR, years_in

_FIGURES: Final = re.compile(
    r"\d+|(?<=-)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?=-)"
)
"""What differs between codes of one shape: E05 and E07, 2023-Feb-16 and 2021-Oct-12."""
_CHANGE: Final = (
    r"\b(?:up|down|r[io]se[sn]?|gr[eo]wn?|fell|fall(?:s|en)?|declin\w+|dropped|(?:in|de)creas\w+|"
    r"growth|more|less|fewer|higher|lower|better|worse|change[ds]?)\b"
)
_AMID: Final = r"(?:(?!\bto\b|\bthan\b)[^;()])"
_MEASURED_AGAINST: Final = re.compile(
    rf"{_CHANGE}(?:{_AMID}{{0,40}}?\b(?:than|versus|vs\.?|against|compared (?:to|with))"
    # Without how much it is, "higher fees apply from 2024" and "it grew over 2024" to so many.
    rf"|{_AMID}{{0,30}}?(?:%|\bper ?cent\b|\bpoints\b|\b[mb]illion\b|\bby\b){_AMID}{{0,20}}?"
    r"\b(?:over(?! the (?:year|course)\b)|on|from))"
    r"(?:\s[^\W\d_]+){0,3}\s((?:19|20)\d\d)\b(?!,? when\b)",
    re.IGNORECASE,
)
"""The year by which another one's figure is measured: "up 19% from fiscal 2024" gives none of its
own, "up from 1.2 billion in 2024" does."""
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?:\.\d+)*(?!\w)")
_OF_THE_THING: Final = re.compile(
    rf"\b(?=([^\W\d_]{{3,}})\s+[^\W\d_]{{1,4}}\s+{A_THING})", re.IGNORECASE
)
"""A thing, and what of it: the deposit for the pool."""


def displaced(
    question: str, terms: Sequence[str], sentence: SentenceInContext, *, said_here: frozenset[str]
) -> frozenset[str]:
    """Return the terms of a question in whose place a sentence has others.

    `said_here` are its words, those that govern it and those that it leaves to its passage.
    """
    below = f"{sentence.governing} {sentence.text}"
    return frozenset(
        chain(
            _left_to_title(question, terms, sentence, said_here=said_here),
            _only_measured_against(question, terms, below),
            _numbers_displaced(question, below),
            _said_of_other_days(terms, sentence.other_days, below),
            things_displaced(question, terms, sentence),
        )
    )


def _left_to_title(
    question: str, terms: Sequence[str], sentence: SentenceInContext, *, said_here: frozenset[str]
) -> Iterator[str]:
    """Yield what the title says and the sentence does not, which names another of its kind.

    A code has to stand in the sentence, not in its passage.
    """
    said, own = said_here | words_of(sentence.title), words_of(sentence.text)
    for term in terms:
        is_here = is_said(term, own if CODE.fullmatch(term) else said_here)
        if not is_here and is_said(term, said) and has_another(term, question, sentence.text):
            yield term


def _said_of_other_days(terms: Sequence[str], other_days: str, below: str) -> Iterator[str]:
    of_others, said = words_of(other_days), words_of(below)
    return (one for one in terms if is_said(one, of_others) and not is_said(one, said))


def _numbers_displaced(question: str, below: str) -> frozenset[str]:
    """Return the numbers of things in a question in whose place a text has others.

    What is said of Windows 11 is not said of Windows 10, though the passage speaks of that too. A
    manual of version 1.4.4 speaks of versions 1 and 1.4, but of no grade 4.
    """
    others = {name for name, _ in NUMBERED.findall(below.lower())}
    said = [f"{number}." for number in _NUMBER.findall(below)]
    return frozenset(
        number
        for name, number in NUMBERED.findall(question.lower())
        if name in others
        and number in numbers_of_things(question)
        and not any(one.startswith(f"{number}.") for one in said)
    )


def has_another(term: str, question: str, text: str) -> bool:
    """Say whether a text without a term of its title names another in its place.

    Another year, a code of the same shape, or the deposit for the hall instead of the pool's. A
    year that it compares with is none: "5 per cent more than in 2022", "(2022: 760)".
    """
    if YEAR.fullmatch(term):
        return bool(years_in(COMPARED.sub(" ", text)))
    if any(map(str.isdigit, term)):
        return not term.isdigit() and _has_shape(term, words_of(text))
    if term in letters_in(question):
        return not letters_in(text) <= {term}
    heads = {head for head, thing in _OF_THE_THING.findall(question.lower()) if thing == term}
    return any(head in heads for head, _ in _OF_THE_THING.findall(text.lower()))


def is_of_another_thing(said: str, sentences: Sequence[SentenceInContext]) -> bool:
    """Say whether a text says of one thing what sentences say of another, which it leaves out.

    It speaks of "the deposit for the pool", they of the one for the hall. Of 6,936 near misses in
    `questions/sentences` 73 were so, of 8,068 answers 7.
    """
    own = words_of(said)
    under = words_of(" ".join(f"{one.title} {one.governing} {one.text}" for one in sentences))
    heads = {
        head
        for one in sentences
        for head, thing in _OF_THE_THING.findall(one.text.lower())
        if not is_said(thing, own)
    }
    return any(
        head in heads and not is_said(thing, under)
        for head, thing in _OF_THE_THING.findall(said.lower())
    )


def _only_measured_against(question: str, terms: Iterable[str], text: str) -> frozenset[str]:
    """Return the years of a question by which a text measures what it gives of another one."""
    against = frozenset(_MEASURED_AGAINST.findall(text))
    if not against or re.search(_CHANGE, question, re.IGNORECASE):
        return frozenset()
    said = words_of(_MEASURED_AGAINST.sub(" ", text))
    return frozenset(term for term in terms if term in against and not is_said(term, said))


def _has_shape(term: str, words: Iterable[str]) -> bool:
    """Say whether one of some words has other figures in the same places, hyphens apart."""
    shape = _shape(term)
    return any(_shape(word) == shape for word in words)


def _shape(word: str) -> str:
    return _FIGURES.sub("#", word).replace("-", "")


def lost_to_others(exact: Sequence[str], sentence: SentenceInContext) -> tuple[str, ...]:
    """Return years and codes that a sentence lacks while it has another, or its passage lacks.

    A code has to stand in the sentence, too, where the passage has several of its shape.
    """
    passage = words_of(f"{sentence.passage} {sentence.title} {sentence.governing}")
    own = words_of(sentence.text)
    lost: list[str] = []
    for term in exact:
        is_year = YEAR.fullmatch(term) is not None
        code = term.replace("-", "")
        others = own if is_year else {one for one in passage if one.replace("-", "") != code}
        is_among_others = (is_year or not term.isdigit()) and _has_shape(term, others)
        if is_among_others or not is_said(term, passage):
            lost.append(term)
    return tuple(lost)
