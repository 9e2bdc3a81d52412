"""Whether a word that a sentence lacks matters: the question is asked again without it.

A judge of the whole is as sure that "The tower was demolished in 1966" answers "When was the tower
torn down?" as that "The hall was built in 1958" answers "When was the school built?". Without
"torn" it is no surer of the first: it had read "demolished" for it. Without "school" it is surer of
the second: that word stood against the sentence.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pulsedocs.answering.asked.match import QuestionMatch

Scorer: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Relevance from 0 to 1 of each sentence to the question."""

Answers: TypeAlias = Callable[[str, Sequence[str]], Sequence[float] | None]
"""How likely each text answers the question, from 0 to 1; None where that could not be told."""


@dataclass(frozen=True, slots=True)
class Judge:
    """What judges sentences.

    It `reads` where it knows the language and may be asked again, which costs nothing on this
    machine: then it can tell which words matter. One that reads both together tells it best.
    """

    scorer: Scorer
    reads: bool = False
    answers: Answers | None = None
    """What tells answers from near misses, of texts as `taught` reads them."""
    is_multilingual: bool = False
    """Whether `answers` comes from the embedder's words, and reads a sentence alone."""

    @property
    def reader(self) -> Scorer | None:
        return self.scorer if self.reads else None


SURE: Final = 0.98  # relevance of a sentence that may say in its own words what is asked
_AGAINST: Final = 0.6  # log-odds; a word that adds more stands against the sentence
_LIKELY: Final = 0.9  # relevance of a sentence that may say all of it in its own words
_LOST: Final = 0.8  # log-odds that a word of it may take from such a sentence
_LOST_OF_SURE: Final = 1.1  # and from one that is sure
_LOST_BY_THING: Final = 0.5  # and a thing that the page does not name, however sure
_MOST_OTHERWISE: Final = 4  # words of the question, each read once more
_MOST_ABSENT: Final = 2  # of them, that its page does not say either
_MOST_WORDS: Final = 3  # of one sentence: a question has to share the others with it
_MOST_SENTENCES: Final = 6  # best first; each word of each costs what a sentence does
_CERTAIN: Final = 1 - 1e-9


def weighed(
    question: str, sentences: Sequence[tuple[str, float, QuestionMatch]], *, scorer: Scorer
) -> list[QuestionMatch]:
    """Return how sentences meet a question, by how much its words matter to them.

    Each comes with its text and its relevance, best first. A word that is said by a near one counts
    as missing where it stands against the sentence. A predicate that is missing counts as said
    where the sentence is surely relevant, and no more so without it.
    """
    found = [match for *_, match in sentences]
    doubtful = [at for at, match in enumerate(found) if _is_doubtful(match, sentences[at][1])]
    gains = _gains(question, sentences, doubtful[:_MOST_SENTENCES], scorer=scorer)
    for at in doubtful:
        match = found[at]
        against = {word for word, gain in gains.get(at, {}).items() if gain > _AGAINST}
        may_stand = match.alike | (
            match.predicates if sentences[at][1] >= SURE else frozenset[str]()
        )
        alike = may_stand - against if at in gains else frozenset[str]()
        unmet = tuple(word for word in match.loose if word not in alike)
        elsewhere = match.elsewhere - against
        found[at] = replace(match, unmet=unmet, alike=alike, elsewhere=elsewhere, allows_loss=False)
    return found


def is_said_otherwise(
    question: str, sentence: tuple[str, float, QuestionMatch], *, scorer: Scorer
) -> bool:
    """Say whether a sentence says all that is asked, if in its own words.

    It comes as in `weighed`. Of the words that it does not say none stands against it.
    """
    _, relevance, match = sentence
    if relevance < _LIKELY or len(match.loose) > _MOST_OTHERWISE:
        return False
    if len(match.absent) > _MOST_ABSENT or match.kind is not None:
        return False
    if not match.firm.isdisjoint(match.loose):
        return False
    [lost] = _gains(question, [sentence], [0], scorer=scorer).values()
    most, strange = _LOST_OF_SURE if relevance >= SURE else _LOST, match.things & match.absent
    return all(gain <= (_LOST_BY_THING if word in strange else most) for word, gain in lost.items())


def _gains(
    question: str,
    sentences: Sequence[tuple[str, float, QuestionMatch]],
    places: Sequence[int],
    *,
    scorer: Scorer,
) -> dict[int, dict[str, float]]:
    """Return by how many log-odds some sentences are worth more without each word they lack."""
    gains: dict[int, dict[str, float]] = {at: {} for at in places}
    for word in dict.fromkeys(word for at in places for word in sentences[at][2].loose):
        own = [at for at in places if word in sentences[at][2].loose]
        scores = scorer(_without(question, word), [sentences[at][0] for at in own])
        for at, score in zip(own, scores, strict=True):
            gains[at][word] = _log_odds(score) - _log_odds(sentences[at][1])
    return gains


def _is_doubtful(match: QuestionMatch, relevance: float) -> bool:
    """Say whether a sentence answers only by words that it does not say as they are."""
    loose = len(match.loose)
    if not loose or match.kind is not None or match.is_long:
        return False
    may_be_said = relevance >= SURE and match.predicates.issuperset(match.unmet)
    return match.is_met or (may_be_said and 2 * loose <= match.terms and loose <= _MOST_WORDS)


def _without(question: str, word: str) -> str:
    return " ".join(re.sub(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", " ", question).split())


def _log_odds(relevance: float) -> float:
    share = min(_CERTAIN, max(1 - _CERTAIN, relevance))
    return math.log(share / (1 - share))
