"""What several sentences answer together: parts, comparisons, counts and sums."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pulsedocs.answering.asked.counted import counts_what_it_has, things_counted
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import judged
from pulsedocs.answering.asked.match import SentenceInContext
from pulsedocs.answering.asked.opposites import OPPOSED
from pulsedocs.answering.asked.parts import joined_in, one_by_one
from pulsedocs.answering.asked.terms import names_in, terms_of
from pulsedocs.answering.extractive.candidates import Scored
from pulsedocs.answering.extractive.choice import MAX_SENTENCES, Judged
from pulsedocs.answering.extractive.meeting import matched_to, those_meeting
from pulsedocs.answering.extractive.rows import as_counted
from pulsedocs.answering.passages import PageText
from pulsedocs.answering.reading import is_left_to_count, names_no_subject, states_count

_FEWEST_FOR_PREDICATE: Final = 4  # words of a question of which one may say something of the others
_SURE_ON_PAGE = 0.8  # relevance of a sentence that may leave a word to the rest of its page


def part_by_part(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    *,
    whole: Sequence[Judged] | None = None,
) -> list[Judged]:
    """Return the best sentence for each thing that a question joins; none where one has none.

    What is found of one thing alone would pass for all that was asked. Where `whole` is given, how
    sentences meet the whole question, one that is surely relevant may leave a word to the rest of
    its page, and a question that joins nothing is one part.
    """
    # One thing that is asked for is no synonym of the other.
    parts = [
        (part, matched_to(part, sentences, likeness=None)) for part in one_by_one(question)
    ] or ([] if whole is None else [(question, list(whole))])
    found: list[list[Judged]] = []
    for part, matches in parts:
        told = [
            (item, replace(match, unmet=()))
            if whole is not None and match.is_nearly_met and item.relevance >= _SURE_ON_PAGE
            else (item, match)
            for item, match in matches
        ]
        found.append(those_meeting(part, told))
    return [pairs[0] for pairs in found] if all(found) else []


def countable(
    question: str,
    matches: Sequence[Judged],
    *,
    stated: Sequence[Judged],
) -> list[Judged]:
    """Return the lists and rows that can be counted, unless what meets the question says how many.

    "1. Open both doors" has a number, and says nothing of how many steps there are.
    """
    if any(states_count(question, item.read.plain) for item, _ in stated):
        return list(stated)
    lists = (
        as_counted(question, pair)
        for pair in matches
        if pair[0].read.lead or pair[0].read.row is not None
    )
    return [(item, match) for item, match in lists if match.is_met] or list(stated)


def together(question: str, matches: Sequence[Judged], *, is_sum: bool) -> list[Judged]:
    """Return the sentences that meet a question only together: one for each side of a comparison.

    Each of them meets what the others share, and something that those before it do not, or says
    itself what those before have only in what stands over them. What is added up is of all names
    that are not joined: costs of Sales in May are neither those of May nor those of Sales. And its
    numbers are of what is counted.
    """
    asked = [term for term in terms_of(question) if not names_no_subject(term)]
    names = names_in(question) - things_counted(question) if is_sum else frozenset[str]()
    counted = things_counted(question) if is_sum else frozenset[str]()
    of_all = (names - joined_in(question)) | counted
    chosen: list[Judged] = []
    left, said = frozenset(asked), frozenset[str]()
    for item, match in matches:
        unmet = frozenset(term for term in match.unmet if not names_no_subject(term))
        if match.kind is not None or unmet.issuperset(asked) or not of_all.isdisjoint(unmet):
            continue
        own = words_of(item.words.text)
        says = frozenset(term for term in asked if is_said(term, own))
        if not chosen or ((left - unmet or says - said) and len(chosen) < MAX_SENTENCES):
            left, said = left & unmet, said | says
            chosen.append((item, match))
    return chosen if not left else []


def on_one_page(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    matches: Sequence[Judged],
    *,
    counts: bool,
) -> list[Judged]:
    """Return the sentences of the first page that says, as a whole, all that is asked about.

    What is counted, compared or added up stands in no single sentence. Each has to say itself what
    is counted, and whether it is the large or the small.
    """
    named = things_counted(question) | OPPOSED
    told = {
        item
        for item, match in matches
        if item.relevance >= _SURE_ON_PAGE
        and (match.kind is None or (counts and not counts_what_it_has(question, item.words.text)))
        and named.isdisjoint(match.unmet)
    }
    sure = [(item, own) for item, own in sentences if item in told]
    pages: dict[PageText, SentenceInContext] = {}
    for item, own in sure:
        pages.setdefault(item.words.page, own)
    for page, context in pages.items():
        if counts and not is_left_to_count(question, page.text):
            continue
        match = judged(question, replace(context, text=page.text), likeness=None)
        if match.is_met or (
            match.kind is None
            and match.terms >= _FEWEST_FOR_PREDICATE
            and len(match.unmet) == 1
            and match.predicates.issuperset(match.unmet)
        ):
            return [(item, match) for item, _ in sure if item.words.page == page][:MAX_SENTENCES]
    return []
