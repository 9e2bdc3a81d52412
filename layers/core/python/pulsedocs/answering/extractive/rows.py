"""Rows of a table: those that are asked for beside the one that answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pulsedocs.answering.asked.counted import things_counted
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import judged
from pulsedocs.answering.asked.match import QuestionMatch
from pulsedocs.answering.asked.ranges import is_beside_range_of
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.asked.things.measures import UNIT
from pulsedocs.answering.extractive.candidates import Read, Scored
from pulsedocs.answering.extractive.choice import Judged, asks_several
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.passages import Words
from pulsedocs.answering.reading import chooses_row, is_left_to_count, without_bound
from pulsedocs.answering.tables import row_of, rows_beside, rows_named_in
from pulsedocs.model.tables import names_time

_MOST_ROWS_JUDGED: Final = 200  # of one table, around the one that answers: half a second


def with_rows_asked_for(question: str, found: list[Judged]) -> list[Judged]:
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
    _, match = as_counted(question, _as_judged(question, first.words, like=first))
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
    told = (as_counted(question, _as_judged(question, words, like=first)) for words in near)
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


def is_another_row(question: str, item: Scored, match: QuestionMatch) -> bool:
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


def as_counted(question: str, pair: Judged) -> Judged:
    """Return a list, or a row without the number of what is counted, as one that needs none."""
    item, match = pair
    is_left = item.read.lead or is_left_to_count(question, item.read.plain)
    return (item, replace(match, kind=None)) if is_left else pair
