"""How likely words answer, as one tells it who was taught on answers and near misses.

Relevance is high wherever they speak of what was asked about. Who was taught reads them with what
stands over and before them, and tells what answers, in whatever words, from what has many of the
question's words and answers something else.
"""

from collections.abc import Sequence
from typing import Final

from pulsedocs.answering.asked.parts import one_by_one
from pulsedocs.answering.extractive.candidates import Read, Scored, scores_of
from pulsedocs.answering.extractive.choice import Judged
from pulsedocs.answering.governing import with_one_before
from pulsedocs.answering.left_out import Scorer
from pulsedocs.answering.reading import TOGETHER, reading_of
from pulsedocs.model.documents import name_of

_BESIDE: Final = 0.1  # what is less likely to answer does not, whatever words it shares
_LIKELY: Final = 0.5  # what is as likely to answer may, in whatever words


class Taught:
    """Tells how likely sentences answer one question: each is read once, and only if it matters.

    Without `answers`, nobody tells: nothing is beside the question, and nothing likely.
    """

    def __init__(self, question: str, *, answers: Scorer | None) -> None:
        self._question = question
        self._answers = answers
        self._chances: dict[Scored, float] = {}
        # What is counted, compared or joined stands in no single sentence.
        self._asks_several = reading_of(question) in TOGETHER or bool(one_by_one(question))

    @property
    def chance(self) -> float | None:
        """Return how likely the likeliest of those read answers; None where none was."""
        return max(self._chances.values(), default=None)

    def without_those_beside(self, found: Sequence[Judged]) -> list[Judged]:
        """Return what speaks of what was asked about and may answer it."""
        if self._answers is None or self._asks_several:
            return list(found)
        chances = self._told([item for item, _ in found], answers=self._answers)
        return [pair for pair in found if chances[pair[0]] >= _BESIDE]

    def likely(self, items: Sequence[Scored]) -> list[Scored]:
        """Return those that likely answer, the most likely first."""
        if self._answers is None:
            return []
        chances = self._told(items, answers=self._answers)
        return sorted(
            (item for item in items if chances[item] >= _LIKELY), key=lambda item: -chances[item]
        )

    def _told(self, items: Sequence[Scored], *, answers: Scorer) -> dict[Scored, float]:
        new = [item for item in items if item not in self._chances]
        read = [item.read for item in new]
        told = scores_of(self._question, read, scorer=answers, text=as_read) if new else ()
        self._chances.update(zip(new, told, strict=True))
        return self._chances


def as_read(read: Read) -> str:
    """Return words below their document's title and their heading, behind the sentence before."""
    words = read.words
    text = read.plain
    if read.row is None and not read.before and (whole := with_one_before(words)) is not None:
        text = whole.text
    over = (words.block.title or name_of(words.block.source), *words.section[-1:])
    named = (f"{one.rstrip('.')}." for one in over if one)
    return " ".join(" ".join((*named, text)).split())
