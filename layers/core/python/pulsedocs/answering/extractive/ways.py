"""How sentences answer a question: one alone, with the one before, or several together."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from pulsedocs.answering.asked.closed import asks_yes_or_no
from pulsedocs.answering.asked.counted import counts_what_it_has, things_counted
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import (
    goes_on_about,
    judged,
    names_another,
    says_more,
    says_nothing_asked,
    says_one_of_two,
)
from pulsedocs.answering.asked.kinds import UNLISTED
from pulsedocs.answering.asked.match import CODE, Likeness, QuestionMatch, SentenceInContext
from pulsedocs.answering.asked.named import things_named
from pulsedocs.answering.asked.opposites import OPPOSED
from pulsedocs.answering.asked.parts import asked_of, joined_in, one_by_one
from pulsedocs.answering.asked.ranges import is_beside_range_of
from pulsedocs.answering.asked.terms import names_in, telling_words, terms_of
from pulsedocs.answering.asked.things.measures import UNIT
from pulsedocs.answering.extractive.candidates import HOW_TO, MARGIN, Read, Scored, as_put
from pulsedocs.answering.extractive.choice import (
    MAX_SENTENCES,
    WHAT_TO_DO,
    Judged,
    asks_several,
    best_of,
    is_counterpart,
    lacks_name,
)
from pulsedocs.answering.extractive.taught import Taught
from pulsedocs.answering.governing import announces, in_context, with_one_before
from pulsedocs.answering.languages import language_of
from pulsedocs.answering.left_out import SURE, Scorer, is_said_otherwise, weighed
from pulsedocs.answering.passages import Block, PageText, Words
from pulsedocs.answering.reading import (
    chooses_row,
    is_left_to_count,
    names_no_subject,
    reading_of,
    states_count,
    without_bound,
)
from pulsedocs.answering.tables import row_of, rows_beside, rows_named_in
from pulsedocs.model.answers import Reading
from pulsedocs.model.tables import names_time

_MOST_PAIRS: Final = 3  # best first, read again with the sentence before
_FEWEST_FOR_PREDICATE: Final = 4  # words of a question of which one may say something of the others
_MOST_ROWS_JUDGED: Final = 200  # of one table, around the one that answers: half a second
_HALF: Final = 0.5  # of a question's words, that a sentence says itself
_RELEVANT: Final = 0.5  # relevance of a sentence that has all codes of a question
_MOST_REREAD: Final = 5  # best first, read again without each word that they do not say
_SURE_IN_PASSAGE: Final = 4.0  # log-odds of a sentence and its passage together
_SURE_ON_PAGE = 0.8  # relevance of a sentence that may leave a word to the rest of its page


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
        for item, match in _matches(question, sentences, likeness=likeness)
        if item.relevance >= gate or (not match.loose and match.own >= _HALF)
    ]
    matches = _weighed(question, told, scorer=reader)
    every = [*sentences, *further]
    others = _of_something_else(question, dict.fromkeys(item.words.block for item, _ in every))
    every = [pair for pair in every if _document_of(pair[0]) not in others]
    goes_first = taught.is_multilingual and _asks_for_one(question)
    found = _told_to_answer(question, every, likeness=likeness, taught=taught) if goes_first else []
    if not found:
        ways = _ways_to_answer(
            question, sentences, told, matches, others=others, reader=reader, taught=taught
        )
        not_beside = (taught.without_those_beside(way) for way in ways)
        found = next((pairs for pairs in not_beside if pairs), list[Judged]())
    if not found and not goes_first:
        found = _told_to_answer(question, every, likeness=likeness, taught=taught)
    return _with_rows_asked_for(question, _with_counterparts(question, found, every)), matches


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
    meeting = _meeting(question, matches)
    if reading in {Reading.COMPARISON, Reading.SUM}:
        meeting = [pair for pair in meeting if not says_one_of_two(question, pair[1])]
    if meeting and not meeting[0][0].read.lead and _asks_for_one(question):
        under_heads = [pair for pair in _met(question, matches) if not pair[1].own]
        yield taught.far_likelier(under_heads, than=meeting)
    if reading is Reading.COUNT:
        meeting = _countable(question, matches, stated=meeting)
    yield best_of(taught.from_first_not_beside(meeting))
    yield _by_code(question, sentences)
    yield taught.from_first_not_beside(_after_one_before(question, told, scorer=reader))[:1]
    yield _part_by_part(question, sentences)
    if reading in {Reading.COMPARISON, Reading.SUM}:
        yield _together(question, matches, is_sum=reading is Reading.SUM)
    yield _part_by_part(question, sentences, whole=matches)
    if reading in {Reading.COUNT, Reading.COMPARISON, Reading.SUM}:
        yield _on_one_page(question, sentences, matches, counts=reading is Reading.COUNT)
    yield _in_other_words(question, told, others=others, scorer=reader)


def _with_rows_asked_for(question: str, found: list[Judged]) -> list[Judged]:
    """Return a row that answers with those of its table that are asked for too, read or not.

    Those are the rows that a question names, where it names two, and else those that say as much:
    both who work in sales, but not the child's where the tariffs for an adult are.
    """
    if not found or found[0][0].read.row is None:
        return found
    (first, _), *others = found
    beside = rows_beside(first.words)
    named = rows_named_in(question, beside)
    if len(named) > 1:
        rows = [_as_judged(question, words, like=first) for words in named]
    else:
        rows = _rows_alike(question, first, beside)
    shown = {item.words for item, _ in rows}
    if first.words not in shown:
        return found
    return [*rows, *(pair for pair in others if pair[0].words not in shown)]


def _rows_alike(question: str, first: Scored, beside: Sequence[Words]) -> list[Judged]:
    """Return the rows beside the first that say as much of what was asked.

    Where it asks for each, the largest, or how many there are, they may say none of it themselves.
    Of a year that stands over its column every row is: where the first has nothing else of the
    question, and a word of that is left, it stays alone.
    """
    asks_rows = _asks_for_rows(question, first.read.plain)
    if chooses_row(question):
        question = without_bound(question)
    _, match = _as_counted(question, _as_judged(question, first.words, like=first))
    row = first.read.row
    own = words_of(first.words.text)
    says = [word for word in telling_words(question) if is_said(word, own)]
    is_alone = not match.own or (match.unmet and not says)
    is_one = row is None or not row.cells or row.is_named_in(question) or is_alone
    if is_one and not asks_rows:
        return []
    at = beside.index(first.words) if first.words in beside else 0
    near = beside[max(0, at - _MOST_ROWS_JUDGED // 2) :][:_MOST_ROWS_JUDGED]
    if not asks_rows:  # judging one takes two milliseconds
        near = [one for one in near if all(is_said(word, words_of(one.text)) for word in says)]
    told = (_as_counted(question, _as_judged(question, words, like=first)) for words in near)
    return [
        pair
        for pair in told
        if pair[1].own >= match.own
        and pair[1].kind == match.kind
        and (asks_rows or frozenset(match.loose).issuperset(pair[1].loose))
    ]


def _asks_for_rows(question: str, row: str) -> bool:
    asks_all = asks_several(question) or chooses_row(question)
    return asks_all or is_left_to_count(question, row)


def _as_judged(question: str, words: Words, *, like: Scored) -> Judged:
    read = Read(words, row_of(words))
    context = in_context(words, read.row, question=question)
    return replace(like, read=read), judged(question, context, likeness=None)


def _matches(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    *,
    likeness: Likeness | None,
) -> list[Judged]:
    return [(item, judged(question, own, likeness=likeness)) for item, own in sentences]


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
        if _is_another_row(question, item, match):
            continue
        is_said = scorer is not None and is_said_otherwise(asked, told, scorer=scorer)
        if is_said and (found := _in_its_words(question, item, match)):
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
        if _is_another_row(question, item, match):
            continue
        is_sure = taught.is_sure(item)
        is_another = names_another(question, match, item.words.text, is_sure=is_sure)
        is_one_of_two = says_one_of_two(question, match)
        if taught.is_multilingual and asks_yes_or_no(question) and match.things - match.absent:
            continue  # its page says elsewhere what is true of the thing that is asked about
        is_kind = not counted and match.kind not in UNLISTED and is_sure
        match = replace(match, kind=None) if is_kind else match
        is_of_it = match.kind is None and not is_another and not is_one_of_two
        own = judged(question, in_context_of[item], likeness=likeness)
        if says_nothing_asked(question, own):
            continue
        if is_of_it and (found := _in_its_words(question, item, match)):
            return _its_list(question, item, in_context_of) or found
    return []


def _is_another_row(question: str, item: Scored, match: QuestionMatch) -> bool:
    """Say whether an item is a row of other numbers than those asked for, or of another range.

    What its numbers are stands over them: "axle load" counts no passengers. Who asks about a dog of
    eight years is not told of "Dog under 7 years", who asks about May not of June.
    """
    if item.read.row is None:
        return False
    # Litres may be "(l)" over a number.
    counted = (one for one in things_counted(question) if not UNIT.fullmatch(one))
    counts_another = any(one in match.unmet for one in counted)
    is_of_other_time = names_time(item.read.row.label) and any(map(names_time, match.unmet))
    is_another = counts_another or is_of_other_time
    return is_another or is_beside_range_of(item.words.text, question)


def _its_list(
    question: str, item: Scored, in_context_of: Mapping[Scored, SentenceInContext]
) -> list[Judged]:
    """Return the list that an item is of, where several are asked for and it says all of them."""
    if not asks_several(question):
        return []
    lists = [
        (whole, judged(question, own, likeness=None))
        for whole, own in in_context_of.items()
        if whole.read.lead and _is_within(item.words, whole.words)
    ]
    return [pair for pair in lists if pair[1].is_met][:1]


def _in_its_words(question: str, item: Scored, match: QuestionMatch) -> list[Judged]:
    """Return a sentence as one that says in other words what it lacks of the question's."""
    alike = frozenset(match.loose)
    return _meeting(question, [(item, replace(match, unmet=(), alike=alike))])


def _part_by_part(
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
    parts = [(part, _matches(part, sentences, likeness=None)) for part in one_by_one(question)] or (
        [] if whole is None else [(question, list(whole))]
    )
    found: list[list[Judged]] = []
    for part, matches in parts:
        told = [
            (item, replace(match, unmet=()))
            if whole is not None and match.is_nearly_met and item.relevance >= _SURE_ON_PAGE
            else (item, match)
            for item, match in matches
        ]
        found.append(_meeting(part, told))
    return [pairs[0] for pairs in found] if all(found) else []


def _meeting(question: str, matches: Sequence[Judged]) -> list[Judged]:
    """Return what meets a question; what says more of its words itself comes first."""
    met = _met(question, matches)
    is_list = asks_several(question) or HOW_TO.search(question) or WHAT_TO_DO.search(question)
    apart = [item.words for item, _ in met if not item.read.lead]
    lists = [
        item.words
        for item, _ in met
        if item.read.lead and (is_list or _is_one_answer(question, item, apart))
    ]
    meeting = [
        (item, match)
        for item, match in met
        if item.words in lists
        or not (item.read.lead or any(_is_within(item.words, whole) for whole in lists))
    ]
    meeting.sort(key=lambda pair: -_standing(question, *pair))
    if meeting and meeting[0][1].own:  # what only stands under the same heading is beside the point
        meeting = [pair for pair in meeting if pair[1].own]
    return meeting


def _is_one_answer(question: str, item: Scored, apart: Iterable[Words]) -> bool:
    """Say whether a list answers as a whole a question that does not ask for several things.

    Not where a single item says it without the others. Nor do the matters of minutes, which a
    sentence announces that says nothing of what is asked.
    """
    lead = "" if item.read.lead is None else item.read.lead.text
    said = words_of(lead)
    if announces(lead) and not any(is_said(word, said) for word in telling_words(question)):
        return False
    return sum(_is_within(one, item.words) for one in apart) != 1


def _standing(question: str, item: Scored, match: QuestionMatch) -> float:
    return item.odds + MARGIN * (match.own - lacks_name(question, item))


def _met(question: str, matches: Sequence[Judged]) -> list[Judged]:
    return [
        (item, match)
        for item, match in matches
        if match.is_met and (item.read.lead or says_more(question, item.words.text))
    ]


def _asks_for_one(question: str) -> bool:
    """Say whether one sentence may answer: no steps, no list, nothing to compare."""
    is_plain = reading_of(question) in {None, Reading.YES_NO, Reading.COUNT}
    is_to_do = HOW_TO.search(question) or WHAT_TO_DO.search(question)
    return is_plain and not is_to_do and not asks_several(question)


def _document_of(item: Scored) -> UUID:
    return item.words.block.document_id


def _is_within(words: Words, whole: Words) -> bool:
    return words.page == whole.page and whole.start <= words.start < whole.end


def _countable(
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
        _as_counted(question, pair)
        for pair in matches
        if pair[0].read.lead or pair[0].read.row is not None
    )
    return [(item, match) for item, match in lists if match.is_met] or list(stated)


def _as_counted(question: str, pair: Judged) -> Judged:
    """Return a list, or a row without the number of what is counted, as one that needs none."""
    item, match = pair
    is_left = item.read.lead or is_left_to_count(question, item.read.plain)
    return (item, replace(match, kind=None)) if is_left else pair


def _together(question: str, matches: Sequence[Judged], *, is_sum: bool) -> list[Judged]:
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


def _on_one_page(
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
