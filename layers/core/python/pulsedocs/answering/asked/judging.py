"""Whether a sentence is about what was asked, and holds the kind of thing that was asked for.

A score says that words are alike: "How much is the deposit for the pool?" is answered, with .97, by
the deposit for the hall. What such a question does not share with the sentence is the pool. So each
word that carries the question's meaning has to be met: by the sentence or by what governs it, as it
is, inflected, misspelt, or by another word for the same. And who asks for a price, a date or a
colour is not answered by a sentence without one.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from pulsedocs.answering.asked.abbreviations import written_otherwise
from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import things_counted, things_measured
from pulsedocs.answering.asked.displaced import displaced, has_another, lost_to_others
from pulsedocs.answering.asked.forms import (
    FEWEST_LETTERS,
    ROMANCE,
    are_compounds,
    inflected,
    is_compound,
    is_said,
    is_said_in_dutch,
    is_said_in_german,
    is_said_in_romance,
    words_of,
)
from pulsedocs.answering.asked.kinds import missing_kind
from pulsedocs.answering.asked.match import (
    CODE,
    FEW_TERMS,
    Likeness,
    QuestionMatch,
    SentenceInContext,
)
from pulsedocs.answering.asked.named import (
    excludes,
    measured,
    numbers_of_things,
    proper_names,
    things_in,
    things_named,
    words_of_names,
)
from pulsedocs.answering.asked.opposites import OF_MORE_THAN_TWO, opposites_of, same_as
from pulsedocs.answering.asked.parts import joined_in, questions_in
from pulsedocs.answering.asked.ranges import in_range_of
from pulsedocs.answering.asked.switches import is_switched
from pulsedocs.answering.asked.terms import (
    PART,
    WORD,
    letters_in,
    names_in,
    telling_words,
    terms_of,
)
from pulsedocs.answering.asked.things.measures import UNITS
from pulsedocs.answering.asked.things.numbers import lacks_counter, numbers_that_count
from pulsedocs.answering.asked.things.times import is_told_by_hours
from pulsedocs.answering.languages import SMALL_WORDS, language_of
from pulsedocs.answering.wording import ITEM_NUMBER, MISSPELT, folded
from pulsedocs.model.years import PERIOD, YEAR, with_plain_periods, years_in

_SECOND: Final = re.compile(r"vice|deputy|stellvertretende[nrsm]?|adjointe?|suplente|supplente")
"""Before an office it names another: the deputy of the chair."""
_LONG_FIGURE: Final = re.compile(r"\d{3}")  # a year, and a number that tells one from another
_SAME_LANGUAGE: Final = 1 / 3  # of the question's words, where small words do not tell
_OF_HIMSELF: Final = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Ww]e|[Oo]ur|us)\b")
"""Who tells of himself: his names are his own matter, and a page may know only their kind."""
_FEW_TO_SAY: Final = 2
_CALLED: Final = re.compile(r"\b(?:[Tt]he|[Aa]n?)(?:\s[A-Z\u00c0-\u00de][\w&-]*)+")
"""What a contract calls a kind: "the Vehicle", "the European Union"."""
_QUOTED: Final = re.compile(r"[\"\u201c\u201d\u201e\u00ab].*?[\"\u201c\u201d\u00bb]")
_KIND: Final = re.compile(
    r"\b(?:what|which|welche[rsnm]?|quel(?:le)?s?|qu\u00e9|cu\u00e1l(?:es)?|quali?|quale|che)\s+([^\W\d_]{3,})",
    re.IGNORECASE,
)
"""What kind of thing is asked for: what notice, welche Frist."""


def judged(
    question: str, sentence: SentenceInContext, *, likeness: Likeness | None
) -> QuestionMatch:
    """Return how a sentence meets the part of a question that it meets best."""
    matches = [
        _part_judged(in_range_of(sentence.text, part), sentence, likeness=likeness)
        for part in questions_in(with_plain_periods(question))
    ]
    return min(matches, key=lambda match: (not match.is_met, len(match.unmet)))


def _part_judged(
    question: str, sentence: SentenceInContext, *, likeness: Likeness | None
) -> QuestionMatch:
    terms = list(dict.fromkeys(terms_of(question)))
    below = f"{sentence.governing} {sentence.text}"
    said_here = words_of(below) | _said_beside(sentence, terms)
    said = said_here | words_of(sentence.title)
    missing = _missing(question, terms, said)
    of_others = displaced(question, terms, sentence, said_here=said_here)
    if not _is_same_language(question, sentence, said):
        return _across_languages(question, terms, [*missing, *of_others], sentence, likeness)
    otherwise = written_otherwise(question, below)
    unmet = [
        term
        for term in missing
        if term not in otherwise and not _is_said_by_form(term, question, sentence, said)
    ]
    alike = _said_otherwise(question, terms, unmet, sentence, likeness=likeness)
    predicates = frozenset(filter(str.isalpha, unmet)) - things_in(question) - of_others
    on_page = words_of(sentence.page)
    said_on_page = frozenset(term for term in unmet if is_said(term, on_page))
    absent = frozenset(term for term in unmet if same_as(term).isdisjoint(on_page)) - said_on_page
    told_by = (words_of_names(question) & absent) | numbers_of_things(question)
    return QuestionMatch(
        terms=len(terms),
        unmet=tuple(term for term in terms if term in of_others or term in {*unmet} - alike),
        elsewhere=predicates & said_on_page,
        firm=_firm(question, unmet, alike=alike, absent=absent) | of_others,
        absent=absent,
        things=things_named(question).intersection(unmet),
        told_by=told_by.union(filter(_SECOND.fullmatch, terms), of_others),
        alike=alike if names_in(question).isdisjoint(unmet) else frozenset(),
        predicates=predicates,
        kind=missing_kind(question, sentence),
        own=_own_share(question, sentence),
    )


def _own_share(question: str, sentence: SentenceInContext) -> float:
    """Return which share of a question's words a sentence says itself, or by what "it" means."""
    called = words_of(sentence.title)  # a document that is called so says it nowhere else
    every = list(dict.fromkeys(telling_words(question)))
    telling = [word for word in every if not is_said(word, called)] or every
    said = words_of(f"{sentence.referred} {sentence.text}")
    return sum(is_said(word, said) for word in telling) / max(1, len(telling))


def names_another(question: str, match: QuestionMatch, text: str, *, is_sure: bool = False) -> bool:
    """Say whether a question has a number, a code or a name that a sentence of this text lacks.

    A name may stand anywhere on its page, and a year where the sentence has no other. A month is
    none: June lies in "from May to August". Nor is a short figure, or one with its unit: who is 74
    asks about "people over 70", and 300 km are "within 500 km". But line 15 is no other, and
    "landlord" does not mean the tenant. Who tells of himself may get a name's kind from what
    `is_sure` to answer: to drive to Prague is "abroad", but not to Vienna.
    """
    others = words_of(text) - words_of(question)
    told = {*match.unmet} - (match.absent & OF_MORE_THAN_TWO)
    if not all(others.isdisjoint(opposites_of(term)) for term in told):
        return True
    on_page = frozenset(match.unmet) - match.absent
    left_to_page = {one for one in on_page if YEAR.fullmatch(one) and not years_in(text)}
    told_apart = {*match.unmet} - measured(question) - left_to_page
    is_told = any(
        term in match.told_by or _LONG_FIGURE.search(term) or CODE.fullmatch(term)
        for term in told_apart
    )
    lacks_name = not match.absent.isdisjoint(proper_names(question))
    if is_sure and _OF_HIMSELF.search(question):
        lacks_name = lacks_name and not others.isdisjoint(proper_names(_CALLED.sub(" ", text)))
    return is_told or lacks_name


def says_nothing_asked(question: str, match: QuestionMatch) -> bool:
    """Say whether a text has none of one or two words asked for, nor its page the thing they name.

    "Who trims the hedge?" is not told who mows the lawn. Who tells of himself, asks whether, or
    says more, puts a matter in words of his own: of such answers most were right.
    """
    if match.terms > _FEW_TO_SAY or len(match.unmet) < match.terms:
        return False
    is_own_matter = _OF_HIMSELF.search(question) or asks_yes_or_no(question)
    return not is_own_matter and not match.things.isdisjoint(match.absent)


def says_one_of_two(question: str, match: QuestionMatch) -> bool:
    """Say whether a sentence says one thing that a question joins with "and", but not another.

    Of the pool and the sauna, it answers for the pool. What says neither may mean both.
    """
    joined = joined_in(question)
    return 0 < len(joined.intersection(match.loose)) < len(joined)


def _said_beside(sentence: SentenceInContext, terms: Sequence[str]) -> frozenset[str]:
    """Return the words of its passage that a sentence may leave to it.

    The columns of a row say of which time it is, not what else its passage speaks of.
    """
    if _is_narrow(terms, sentence):
        return frozenset()
    own = words_of(sentence.passage)
    return frozenset(w for w in own if not (sentence.is_named_row and PERIOD.fullmatch(w)))


def _missing(question: str, terms: Sequence[str], said: frozenset[str]) -> list[str]:
    """Return the terms of a question that are not said, in a form of its language."""
    asked_in = language_of(question)
    missing = [term for term in terms if not is_said(term, said)]
    if asked_in == "de":
        return [term for term in missing if not is_said_in_german(term, said, beside=terms)]
    if asked_in == "nl":
        return [term for term in missing if not is_said_in_dutch(term, said)]
    if asked_in in ROMANCE:
        return [term for term in missing if not is_said_in_romance(term, said)]
    return missing


def _is_narrow(terms: Sequence[str], sentence: SentenceInContext) -> bool:
    """Say whether a question has so few words that its passage says none of them for a sentence."""
    return len(terms) <= FEW_TERMS and not sentence.is_named_row


def _said_otherwise(
    question: str,
    terms: Sequence[str],
    unmet: Sequence[str],
    sentence: SentenceInContext,
    *,
    likeness: Likeness | None,
) -> frozenset[str]:
    """Return the unmet words of a question for which a sentence has others that mean the same."""
    if likeness is None:
        return frozenset()
    # A page that speaks of the tenant, too, does not mean the tenant where it says "landlord"; nor
    # the only thing that is asked about.
    on_page, named = words_of(sentence.page), things_named(question)
    is_german = language_of(question) == "de"
    other = {
        term
        for term in unmet
        if (term in named or len(terms) == 1)
        and (is_said(term, on_page) or (is_german and is_said_in_german(term, on_page)))
    }
    # No other word says a number or what is counted: to an embedder six is eight, eggs are pears.
    as_asked = names_in(question) | letters_in(question) | numbers_that_count(question)
    as_asked |= things_counted(question) | other
    # Who asks for revenue and profit, or a harvest festival, means two things by them.
    each_alone = telling_words(question) if _is_narrow(terms, sentence) else ()
    own_names = {name for each in each_alone for name in inflected(each)}
    governed = f"{sentence.title} {sentence.governing} {sentence.text}"
    return frozenset(
        term
        for term in unmet
        if term.isalpha()
        and term not in as_asked
        and not excludes(term)
        and likeness.is_same(term, _others(term, governed, own_names, is_german=is_german))
    )


def _firm(
    question: str, unmet: Sequence[str], *, alike: Container[str], absent: frozenset[str]
) -> frozenset[str]:
    """Return the unmet words of a question that no other words can say.

    A number, what has figures, or tells one thing from another; what is measured; a name that its
    page does not say; what a closed question names: "Is swimming allowed?" is not answered by
    fishing.
    """
    measured = numbers_that_count(question) | things_measured(question)
    named = measured | (names_in(question) & absent)
    if asks_yes_or_no(question):
        named |= {term for term in things_in(question) if term not in alike}
    named |= letters_in(question)
    return frozenset(
        term for term in unmet if any(map(str.isdigit, term)) or excludes(term) or term in named
    )


def _across_languages(
    question: str,
    terms: Sequence[str],
    missing: Sequence[str],
    sentence: SentenceInContext,
    likeness: Likeness | None,
) -> QuestionMatch:
    """Compare what can be compared between languages: figures, the kind asked for, the meaning.

    A question's words are told apart from small ones where those are listed, an answer's from each
    other where there are spaces between them.
    """
    exact = [term for term in missing if any(map(str.isdigit, term))]
    lost = lost_to_others(exact, sentence)
    match = QuestionMatch(len(exact), lost, firm=frozenset(lost))
    if lacks_counter(question, sentence.text):
        return replace(match, kind="number")
    if language_of(question) is None or not _is_latin(sentence.text):
        return match
    governed = f"{sentence.title} {sentence.governing} {sentence.text}"
    words = (word for word in PART.findall(question) if word.isalpha() and word.lower() in terms)
    asked = list(dict.fromkeys(words))
    if likeness is not None and not likeness.is_about(
        asked, _as_written(governed), question=question
    ):
        return QuestionMatch(len(terms), tuple(terms), firm=frozenset(terms))
    is_told = language_of(f"{sentence.text} {sentence.passage}") is not None
    return replace(match, kind=missing_kind(question, sentence) if is_told else None)


def _others(term: str, text: str, own_names: Container[str], *, is_german: bool) -> list[str]:
    """Return the words of a text that could stand for a term: not what the question names too."""
    return [
        word
        for word in _content(text)
        if word not in own_names
        and not is_compound(term, word)
        and not (is_german and are_compounds(term, word))
    ]


def says_more(question: str, text: str) -> bool:
    """Say whether a text has any word that an open question has not: its own title has none.

    Who asks "is it", "may I", or where words stand that he quotes, may get them as the answer. A
    small word counts: "you must" is an answer to "how".
    """
    if asks_yes_or_no(question):
        return True
    asked = words_of(_QUOTED.sub(" ", question))
    words = WORD.findall(ITEM_NUMBER.sub("", text))
    return any(not is_said(word.lower(), asked) for word in words)


def _is_same_language(question: str, sentence: SentenceInContext, said: frozenset[str]) -> bool:
    """Say whether words can be compared: across languages they differ and mean the same.

    Nor can they in a language whose small words are not known: "how many" is a word like others.
    """
    if sentence.is_foreign:
        return False
    asked, answered = language_of(question), language_of(f"{sentence.text} {sentence.passage}")
    if asked == answered or None not in {asked, answered}:
        return asked == answered is not None
    if asked is not None and _is_latin(sentence.text):
        return True  # too short to tell: what is known to be of another language is foreign
    words = list(telling_words(question))
    return sum(is_said(word, said) for word in words) >= _SAME_LANGUAGE * len(words)


def _is_latin(text: str) -> bool:
    return all(letter < "\u0250" for letter in text if letter.isalpha())


def goes_on_about(question: str, terms: Iterable[str], text: str) -> bool:
    """Say whether a text may go on about terms of a question that only stand before it.

    It begins with what is asked ("A key is 15 euros"), names nothing in the place of a term, and
    says itself what kind of thing it gives: who asks "what notice" is not told of keys.
    """
    subject = next(telling_words(text), "")
    begins = is_said(subject, words_of(question)) if subject else False
    kinds = {kind.lower() for kind in _KIND.findall(question)}
    return begins and not any(term in kinds or has_another(term, question, text) for term in terms)


def _is_said_by_form(
    term: str, question: str, sentence: SentenceInContext, said: frozenset[str]
) -> bool:
    """Say whether a word is there as another: misspelt, as hours, a switch, one for the same."""
    return (
        _is_spelled(term, sentence, said)
        or is_switched(term, question, sentence.text)
        or is_told_by_hours(term, sentence.text)
        or not same_as(term).isdisjoint(said)
    )


def _is_spelled(term: str, sentence: SentenceInContext, said: frozenset[str]) -> bool:
    """Say whether a word is there misspelt, a unit abbreviated, a figure in its passage."""
    if any(unit.fullmatch(term) and short.search(sentence.text) for unit, short in UNITS):
        return True
    if any(map(str.isdigit, term)):
        return not lost_to_others([term], sentence)
    plain = folded(term)
    is_long = len(term) >= FEWEST_LETTERS and term.isalpha()  # an "e-bike" is no misspelt bike
    # A slip adds or drops a letter; the "note" of a file's name is no misspelt "notice".
    alike = [w for w in said if len(w) >= FEWEST_LETTERS and abs(len(w) - len(plain)) <= 1]
    return is_long and bool(get_close_matches(plain, alike, n=1, cutoff=MISSPELT))


def _content(text: str) -> tuple[str, ...]:
    """Return the words of a text that another word could mean, each once, in small letters."""
    return tuple(dict.fromkeys(word.lower() for word in _as_written(text)))


@lru_cache(maxsize=512)
def _as_written(text: str) -> tuple[str, ...]:
    """Return them as the text has them: to an embedder "bienen" is far from bees, "Bienen" near."""
    small = SMALL_WORDS.get(language_of(text) or "", frozenset[str]())
    words = (word for word in PART.findall(text) if len(word) >= FEWEST_LETTERS - 1)
    return tuple(dict.fromkeys(word for word in words if word.lower() not in small))
