"""A second model says how likely a sentence answers a question.

Relevance is high wherever a sentence speaks of what was asked about. This model was taught on
answers and near misses: it reads the sentence with what stands over and before it, and tells what
answers, in whatever words, from what shares many of the question's words and answers another.
"""

from collections.abc import Callable, Container, Sequence
from typing import Final

from pulsedocs.answering.asked.parts import one_by_one
from pulsedocs.answering.extractive.candidates import Read, Scored, as_put
from pulsedocs.answering.extractive.choice import Judged
from pulsedocs.answering.governing import with_one_before
from pulsedocs.answering.left_out import Answers
from pulsedocs.answering.reading import reading_of
from pulsedocs.model.answers import Reading
from pulsedocs.model.documents import name_of

SURE_ANSWER: Final = 0.75  # of a sentence in a passage that the reranker takes for irrelevant
_BESIDE: Final = 0.08  # what is less likely to answer does not, whatever words it shares
_LIKELY: Final = 0.4  # what is as likely to answer may, in whatever words,
_ALONE: Final = 0.3  # if it is as likely as this when read without the sentence before


class Taught:
    """Tells how likely sentences answer one question: each is read once, and only if it matters.

    Without `answers`, or once it fails, nothing is beside the question and nothing likely. Nor are
    lists as a whole, and sentences of the passages numbered in `foreign`, whose language the model
    may not know.
    """

    def __init__(
        self, question: str, *, answers: Answers | None, foreign: Container[int] = ()
    ) -> None:
        self._question = question
        self._answers = answers
        self._foreign = foreign
        self._chances: dict[Scored, float] = {}
        self._reading = reading_of(question)
        self._asks_several = self._reading in {Reading.COMPARISON, Reading.SUM} or bool(
            one_by_one(question)
        )

    @property
    def chance(self) -> float | None:
        """Return how likely the likeliest of those read answers; None where none was."""
        return max(self._chances.values(), default=None)

    def without_those_beside(self, found: Sequence[Judged]) -> list[Judged]:
        """Return what may answer what was asked about.

        What is compared, added up or joined stands in no single sentence, and what is counted
        may not either: there none is beside the question.
        """
        if self._asks_several or self._reading is Reading.COUNT:
            return list(found)
        chances = self._chances_of([item for item, _ in found])
        return [pair for pair in found if chances.get(pair[0], 1.0) >= _BESIDE]

    def from_first_not_beside(self, found: Sequence[Judged]) -> list[Judged]:
        """Return what was found, from the first on that may answer; none behind it is read."""
        for at, pair in enumerate(found):
            if self.without_those_beside([pair]):
                return list(found[at:])
        return []

    def likely(self, items: Sequence[Scored]) -> list[Scored]:
        """Return those that likely answer, the most likely first."""
        if self._asks_several:
            return []
        chances = self._chances_of(items)
        likely = [item for item in items if chances.get(item, 0.0) >= _LIKELY]
        alone = self._ask(likely, text=as_read_alone)
        found = [item for item in likely if alone.get(item, 0.0) >= _ALONE]
        return sorted(found, key=lambda item: -chances[item])

    def _chances_of(self, items: Sequence[Scored]) -> dict[Scored, float]:
        new = [item for item in items if self._may_know(item) and item not in self._chances]
        self._chances.update(self._ask(new, text=as_read))
        return self._chances

    def _may_know(self, item: Scored) -> bool:
        """Say whether it was taught on the like: on single sentences, items and rows."""
        return item.read.lead is None and item.words.block.n not in self._foreign

    def _ask(self, items: Sequence[Scored], *, text: Callable[[Read], str]) -> dict[Scored, float]:
        chances: dict[Scored, float] = {}
        for asked, places in as_put(self._question, [item.read for item in items]).items():
            own = [items[place] for place in places]
            told = self._answers and self._answers(asked, [text(item.read) for item in own])
            if told is None:
                self._answers = None
                return {}
            chances.update(zip(own, told, strict=True))
        return chances


def as_read(read: Read) -> str:
    """Return words below their document's title and their heading, behind the sentence before."""
    stands_alone = read.row is not None or read.before
    whole = None if stands_alone else with_one_before(read.words)
    return _under_titles(read, read.plain if whole is None else whole.text)


def as_read_alone(read: Read) -> str:
    """Return them without the sentence before."""
    return _under_titles(read, read.plain)


def _under_titles(read: Read, text: str) -> str:
    title = read.words.block.title or name_of(read.words.block.source)
    over = dict.fromkeys(one for one in (title, *read.words.section[-1:]) if one)
    return " ".join(" ".join((*(f"{one.rstrip('.')}." for one in over), text)).split())
