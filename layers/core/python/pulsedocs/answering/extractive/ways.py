"""How sentences answer a question: one alone, with the one before, or several together."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from pulsedocs.answering.around.neighbours import with_one_before
from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import things_counted
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import (
    goes_on_about,
    judged,
    names_another,
    says_nothing_asked,
    says_one_of_two,
)
from pulsedocs.answering.asked.kinds import UNLISTED, counts_others
from pulsedocs.answering.asked.match import CODE, Likeness, SentenceInContext
from pulsedocs.answering.asked.named import things_named
from pulsedocs.answering.asked.parts import asked_of
from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.extractive.candidates import Read, Scored, as_put
from pulsedocs.answering.extractive.choice import Judged, asks_several, best_of, is_counterpart
from pulsedocs.answering.extractive.meeting import (
    all_met,
    asks_for_one,
    in_its_words,
    is_within,
    matched_to,
    those_meeting,
)
from pulsedocs.answering.extractive.rows import is_another_row, with_rows_asked_for
from pulsedocs.answering.extractive.several import countable, on_one_page, part_by_part, together
from pulsedocs.answering.extractive.taught import Taught
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.languages import language_of
from pulsedocs.answering.left_out import SURE, Scorer, is_said_otherwise, weighed
from pulsedocs.answering.passages import Block
from pulsedocs.answering.reading import reading_of
from pulsedocs.model.answers import Reading

_MOST_PAIRS: Final = 3  # best first, read again with the sentence before
_HALF: Final = 0.5  # of a question's words, that a sentence says itself
_RELEVANT: Final = 0.5  # relevance of a sentence that has all codes of a question
_MOST_REREAD: Final = 5  # best first, read again without each word that they do not say
_SURE_IN_PASSAGE: Final = 4.0  # log-odds of a sentence and its passage together


def answering(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    further: Sequence[tuple[Scored, SentenceInContext]],
    *,
    gate: float,
    likeness: Likeness | None,
    reader: Scorer | None,
    taught: Taught,
) -> tuple[list[Judged], list[Judged]]:
    """Return the sentences that answer a question, and how all of them meet it.

    The first way to answer that finds any is taken. `further` ones are not relevant enough to
    answer by their words.
    """
    # In a passage that surely answers, a sentence below the gate may say all that is asked.
    told = [
        (item, match)
        for item, match in matched_to(question, sentences, likeness=likeness)
        if item.relevance >= gate or (not match.loose and match.own >= _HALF)
    ]
    matches = _weighed(question, told, scorer=reader)
    every = [*sentences, *further]
    others = _of_something_else(question, dict.fromkeys(item.words.block for item, _ in every))
    every = [pair for pair in every if _document_of(pair[0]) not in others]
    goes_first = taught.is_multilingual and asks_for_one(question)
    found = _told_to_answer(question, every, likeness=likeness, taught=taught) if goes_first else []
    if not found:
        ways = _ways_to_answer(
            question, sentences, told, matches, others=others, reader=reader, taught=taught
        )
        not_beside = (taught.without_those_beside(way) for way in ways)
        found = next((pairs for pairs in not_beside if pairs), list[Judged]())
    if not found and not goes_first:
        found = _told_to_answer(question, every, likeness=likeness, taught=taught)
    return with_rows_asked_for(question, _with_counterparts(question, found, every)), matches


def _with_counterparts(
    question: str, found: list[Judged], sentences: Iterable[tuple[Scored, SentenceInContext]]
) -> list[Judged]:
    """Return what answers alone with what other documents say like it: it may be outdated.

    That lacks no more of the question than the one that answers, nor another kind of thing.
    """
    if len(found) != 1:
        return found
    [(best, match)] = found
    alike = [(item, own) for item, own in sentences if item is best or is_counterpart(item, best)]
    told = {item: judged(question, own, likeness=None) for item, own in alike}
    kinds = {None, *(own.kind for item, own in told.items() if item is best)}
    counterparts = [
        (item, replace(own, unmet=(), alike=frozenset(own.loose)))
        for item, own in told.items()
        if item is not best and own.kind in kinds and frozenset(match.loose).issuperset(own.loose)
    ]
    return best_of([*found, *counterparts])


def _of_something_else(question: str, blocks: Iterable[Block]) -> frozenset[UUID]:
    """Return the documents without the things that a question names and another document says.

    Who asks when "the museum" opens is not told when "we" open in a price list of kennels. What is
    in another language may say it in that one.
    """
    things = things_named(question).intersection(terms_of(question))
    known = {None, language_of(question)}
    unsaid = dict[UUID, frozenset[str]]()
    foreign = set[UUID]()
    for block in blocks if things else ():
        said = words_of(block.called).union(*(words_of(page.text) for page in block.pages))
        left = frozenset(thing for thing in things if not is_said(thing, said))
        unsaid[block.document_id] = unsaid.get(block.document_id, left) & left
        if language_of(block.text) not in known:
            foreign.add(block.document_id)
    if all(unsaid.values()):
        return frozenset()
    return frozenset(one for one, left in unsaid.items() if left == things) - foreign


def _ways_to_answer(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    told: Sequence[Judged],
    matches: Sequence[Judged],
    *,
    others: Container[UUID],
    reader: Scorer | None,
    taught: Taught,
) -> Iterator[list[Judged]]:
    """Yield what answers a question in one way after another."""
    reading = reading_of(question)
    meeting = those_meeting(question, matches)
    if reading in {Reading.COMPARISON, Reading.SUM}:
        meeting = [pair for pair in meeting if not says_one_of_two(question, pair[1])]
    if meeting and not meeting[0][0].read.lead and asks_for_one(question):
        under_heads = [pair for pair in all_met(question, matches) if not pair[1].own]
        yield taught.far_likelier(under_heads, than=meeting)
    if reading is Reading.COUNT:
        meeting = countable(question, matches, stated=meeting)
    yield best_of(taught.from_first_not_beside(meeting))
    yield _by_code(question, sentences)
    yield taught.from_first_not_beside(_after_one_before(question, told, scorer=reader))[:1]
    yield part_by_part(question, sentences)
    if reading in {Reading.COMPARISON, Reading.SUM}:
        yield together(question, matches, is_sum=reading is Reading.SUM)
    yield part_by_part(question, sentences, whole=matches)
    if reading in {Reading.COUNT, Reading.COMPARISON, Reading.SUM}:
        yield on_one_page(question, sentences, matches, counts=reading is Reading.COUNT)
    yield _in_other_words(question, told, others=others, scorer=reader)


def _weighed(
    question: str,
    matches: Sequence[Judged],
    *,
    scorer: Scorer | None,
) -> list[Judged]:
    """Return how sentences meet a question as one sees it that can tell which words matter."""
    if scorer is None:
        return list(matches)
    found = [match for _, match in matches]
    for asked, places in as_put(question, [item.read for item, _ in matches]).items():
        own = [matches[place] for place in places]
        told = [(item.read.plain, item.relevance, match) for item, match in own]
        for place, match in zip(places, weighed(asked, told, scorer=scorer), strict=True):
            found[place] = match
    return [(item, match) for (item, _), match in zip(matches, found, strict=True)]


def _after_one_before(
    question: str, matches: Sequence[Judged], *, scorer: Scorer | None
) -> list[Judged]:
    """Return sentences, each with the one before, which says the words that it lacks.

    "The cycle store is behind the house. A key is 15 euros." Whoever reads both has to be sure, and
    no surer where the question goes without those words: else they name something else.
    """
    found: list[Judged] = []
    for item, match in matches[:_MOST_PAIRS]:
        whole = with_one_before(item.words)
        is_sentence = item.read.row is None and item.read.lead is None
        if whole is None or not is_sentence or match.kind is not None or match.is_long:
            continue
        goes_on = goes_on_about(question, match.loose, item.words.text)
        both = judged(question, in_context(whole, None, question=question), likeness=None)
        if scorer is None or both.loose or both.kind is not None or not goes_on:
            continue
        read = Read(whole)
        [score] = scorer(question, [read.plain])
        if score < SURE:
            continue
        told = replace(both, alike=frozenset(match.loose))
        [seen] = weighed(question, [(read.plain, score, told)], scorer=scorer)
        if seen.is_met:
            found.append((replace(item, read=read, relevance=score), seen))
    return found


def _in_other_words(
    question: str,
    matches: Sequence[Judged],
    *,
    others: Container[UUID],
    scorer: Scorer | None,
) -> list[Judged]:
    """Return the best sentence of which one who reads it is sure, whatever words it says it in."""
    sure = [] if scorer is None else [pair for pair in matches if pair[0].odds >= _SURE_IN_PASSAGE]
    best = sorted(sure, key=lambda pair: -pair[0].odds)[:_MOST_REREAD]
    for item, match in (pair for pair in best if _document_of(pair[0]) not in others):
        asked = asked_of(question, item.words.block.called)
        told = (item.read.plain, item.relevance, match)
        counts_another = counts_others(question, item.words.text)
        if counts_another or is_another_row(question, item, match):
            continue
        is_said = scorer is not None and is_said_otherwise(asked, told, scorer=scorer)
        if is_said and (found := in_its_words(question, item, match)):
            return found
    return []


def _told_to_answer(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    *,
    likeness: Likeness | None,
    taught: Taught,
) -> list[Judged]:
    """Return the sentence that most likely answers, of what is asked for and what is named."""
    in_context_of = dict(sentences)
    counted = things_counted(question)
    for item in taught.likely(list(in_context_of)):
        match = judged(question, in_context_of[item], likeness=None)
        if is_another_row(question, item, match) or not taught.is_borne_out(item, match):
            continue
        is_sure = taught.is_sure(item)
        is_another = names_another(question, match, item.words.text, is_sure=is_sure)
        is_one_of_two = says_one_of_two(question, match)
        if taught.is_multilingual and asks_yes_or_no(question) and match.things - match.absent:
            continue  # its page says elsewhere what is true of the thing that is asked about
        if not is_sure and counts_others(question, item.words.text):
            continue
        is_kind = not counted and match.kind not in UNLISTED and is_sure
        match = replace(match, kind=None) if is_kind else match
        is_of_it = match.kind is None and not is_another and not is_one_of_two
        own = judged(question, in_context_of[item], likeness=likeness)
        if says_nothing_asked(question, own):
            continue
        if is_of_it and (found := in_its_words(question, item, match)):
            return _its_list(question, item, in_context_of) or found
    return []


def _its_list(
    question: str, item: Scored, in_context_of: Mapping[Scored, SentenceInContext]
) -> list[Judged]:
    """Return the list that an item is of, where several are asked for and it says all of them."""
    if not asks_several(question):
        return []
    lists = [
        (whole, judged(question, own, likeness=None))
        for whole, own in in_context_of.items()
        if whole.read.lead and is_within(item.words, whole.words)
    ]
    return [pair for pair in lists if pair[1].is_met][:1]


def _document_of(item: Scored) -> UUID:
    return item.words.block.document_id


def _by_code(question: str, sentences: Sequence[tuple[Scored, SentenceInContext]]) -> list[Judged]:
    """Return the best sentence that has the codes of a question, below what has the rest.

    A list of codes says once, at its top, what they are the codes of. What stands below one is
    said for itself: the protection of the pump HX-477 is in its table, not where it is introduced.
    """
    codes = frozenset(term for term in terms_of(question) if CODE.fullmatch(term))
    for item, own in sentences:
        if codes and item.relevance >= _RELEVANT and codes <= words_of(item.words.text):
            above = item.words.page.text[: item.words.start]
            match = judged(question, replace(own, governing=above), likeness=None)
            if match.is_met:
                return [(item, match)]
    return []
