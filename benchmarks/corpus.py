"""Texts and vectors that behave as natural ones do in a search, made from a seed.

A chunk has 120 running words. Of these 45 % are English stop words; 17 % are of the chunk's topic,
which has 200 words by Zipf's law; the rest follow Zipf's law with Mandelbrot's offset over 60,000
words, so that the commonest is in about a third of the chunks. A document has 100 chunks on three
of the 500 topics. Vectors lie around the centre of the topic, in 384 dimensions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope

WIDTH: Final = 384
CHUNKS_A_DOCUMENT: Final = 100
PARTS: Final = 10
"""Documents have a part from 0 to 9 in their metadata: a filter on it leaves a tenth."""

_SEED: Final = 11
_TOPICS: Final = 500
_WORDS_A_CHUNK: Final = 120
_VOCABULARY: Final = 60_000
_OFFSET: Final = 20
_WORDS_A_TOPIC: Final = 200
_STOP, _TOPIC = 0.45, 0.62  # of a draw: below the first a stop word, below the second the topic's
_STOP_WORDS: Final = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from"
    " or had an they which you were all her she there would their we him been has when who will"
    " no more if out so"
)
_SYLLABLES: Final[list[str]] = [a + b for a in "bdfgklmnprtvzj" for b in "aou"]


class Kind(StrEnum):
    """What a question's words are: two of its topic, and two of middling frequency or one of each.

    The five of `SEVERAL` are each in a tenth of the chunks or more.
    """

    MID = "mid"
    COMMON = "common"
    SEVERAL = "several_common"


@dataclass(frozen=True, slots=True)
class Question:
    words: str
    vector: tuple[float, ...]
    part: int

    def of(self, scope: Scope, *, model: str, limit: int) -> CandidateQuery:
        """Return it as a search of both legs."""
        return CandidateQuery(
            scope=scope,
            model=model,
            dimensions=WIDTH,
            vectors={Leg.VECTOR: self.vector},
            words=self.words,
            vector_candidates=limit,
            keyword_candidates=limit,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A document to be: its part, and the text and the vector of each chunk."""

    part: int
    chunks: Sequence[tuple[str, tuple[float, ...]]]


class Corpus:
    def __init__(self) -> None:
        self._rng = np.random.default_rng(_SEED)
        self._words = np.array([_word(number) for number in range(_VOCABULARY)], dtype=object)
        self._steps = np.cumsum(1 / (np.arange(_VOCABULARY) + 1 + _OFFSET))
        self._topic_steps = np.cumsum(1 / (np.arange(_WORDS_A_TOPIC) + 1))
        self._stop_words = np.array(_STOP_WORDS.split(), dtype=object)
        self._stop_steps = np.cumsum(1 / (np.arange(len(self._stop_words)) + 1))
        self._topics = self._rng.integers(300, _VOCABULARY, (_TOPICS, _WORDS_A_TOPIC))
        self._centres = self._rng.normal(size=(_TOPICS, WIDTH))

    def documents(self, chunks: int) -> Iterator[Draft]:
        return map(self.document, range(chunks // CHUNKS_A_DOCUMENT))

    def document(self, number: int) -> Draft:
        """Return one document, the same whichever were made before it."""
        rng = np.random.default_rng((_SEED, number))
        own = rng.integers(0, _TOPICS, 3)
        topics = rng.choice(own, CHUNKS_A_DOCUMENT)
        vectors = self._near(topics, rng)
        texts = (self._text(topic, rng) for topic in topics)
        return Draft(number % PARTS, list(zip(texts, vectors, strict=True)))

    def questions(self, count: int, kind: Kind) -> list[Question]:
        topics = self._rng.integers(0, _TOPICS, count)
        vectors = self._near(topics, self._rng)
        return [
            Question(self._asked(topic, kind), vector, part=number % PARTS)
            for number, (topic, vector) in enumerate(zip(topics, vectors, strict=True))
        ]

    def _text(self, topic: int, rng: np.random.Generator) -> str:
        draws = rng.random((2, _WORDS_A_CHUNK))
        general = self._words[_at(self._steps, draws[1])]
        own = self._words[self._topics[topic][_at(self._topic_steps, draws[1])]]
        stop = self._stop_words[_at(self._stop_steps, draws[1])]
        words = np.where(draws[0] < _STOP, stop, np.where(draws[0] < _TOPIC, own, general))
        return " ".join(words.tolist()) + "."

    def _asked(self, topic: int, kind: Kind) -> str:
        if kind is Kind.SEVERAL:
            ranks = self._rng.choice(50, 5, replace=False)
        else:
            common = self._rng.integers(0, 20) if kind is Kind.COMMON else self._middling()
            ranks = [common, self._middling(), *self._rng.choice(self._topics[topic][:40], 2)]
        words = [str(self._words[rank]) for rank in ranks]
        return f"what is the {words[0]} of {' and '.join(words[1:])}?"

    def _middling(self) -> int:
        return int(self._rng.integers(200, 5000))

    def _near(self, topics: NDArray[Any], rng: np.random.Generator) -> list[tuple[float, ...]]:
        moved = self._centres[topics] + rng.normal(0, 0.5, (len(topics), WIDTH))
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        return [tuple(row) for row in moved.round(4).tolist()]


def _at(steps: NDArray[Any], draws: NDArray[Any]) -> NDArray[Any]:
    return cast("NDArray[Any]", steps.searchsorted(draws * steps[-1]))


def _word(number: int) -> str:
    rest, first = divmod(number, len(_SYLLABLES))
    third, second = divmod(rest, len(_SYLLABLES))
    return _SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[third]
