"""Which of what was read meets a question."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pulsedocs.answering.around.lists import announces
from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.judging import judged, says_more
from pulsedocs.answering.asked.match import Likeness, QuestionMatch, SentenceInContext
from pulsedocs.answering.asked.terms import telling_words
from pulsedocs.answering.extractive.candidates import HOW_TO, MARGIN, Scored
from pulsedocs.answering.extractive.choice import WHAT_TO_DO, Judged, asks_several, lacks_name
from pulsedocs.answering.passages import Words
from pulsedocs.answering.reading import reading_of
from pulsedocs.model.answers import Reading


def matched_to(
    question: str,
    sentences: Sequence[tuple[Scored, SentenceInContext]],
    *,
    likeness: Likeness | None,
) -> list[Judged]:
    return [(item, judged(question, own, likeness=likeness)) for item, own in sentences]


def in_its_words(question: str, item: Scored, match: QuestionMatch) -> list[Judged]:
    """Return a sentence as one that says in other words what it lacks of the question's."""
    alike = frozenset(match.loose)
    return those_meeting(question, [(item, replace(match, unmet=(), alike=alike))])


def those_meeting(question: str, matches: Sequence[Judged]) -> list[Judged]:
    """Return what meets a question; what says more of its words itself comes first."""
    met = all_met(question, matches)
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
        or not (item.read.lead or any(is_within(item.words, whole) for whole in lists))
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
    return sum(is_within(one, item.words) for one in apart) != 1


def _standing(question: str, item: Scored, match: QuestionMatch) -> float:
    return item.odds + MARGIN * (match.own - lacks_name(question, item))


def all_met(question: str, matches: Sequence[Judged]) -> list[Judged]:
    return [
        (item, match)
        for item, match in matches
        if match.is_met and (item.read.lead or says_more(question, item.words.text))
    ]


def asks_for_one(question: str) -> bool:
    """Say whether one sentence may answer: no steps, no list, nothing to compare."""
    is_plain = reading_of(question) in {None, Reading.YES_NO, Reading.COUNT}
    is_to_do = HOW_TO.search(question) or WHAT_TO_DO.search(question)
    return is_plain and not is_to_do and not asks_several(question)


def is_within(words: Words, whole: Words) -> bool:
    return words.page == whole.page and whole.start <= words.start < whole.end
