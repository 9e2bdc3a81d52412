"""Whether what judges sentences tells an answer from a near miss: `python -m evaluation.sentences`.

`questions/sentences` are 320 passages that language models wrote for this. Each comes with five
questions that one of its sentences answers, mostly in other words, and five that none does, in
words of the sentence that a careless reader would show for it. `found` is the share of the answered
ones for which the right sentence is the best of those named in its passage, where two are equally
good half of one; `told` the share of pairs, of an answered question and one that is not, of the
same passage, in which the answer has the higher score: .5 for a coin (the area under the ROC
curve), less where shared words decide.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any, Final

from evaluation.datasets import QUESTIONS, rows
from evaluation.measuring import RERANKERS
from local.models import ensure_models
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Reranker

_forever: Final = partial(Deadline.after, 1e9)


@dataclass(frozen=True, slots=True)
class Pair:
    question: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Passage:
    answered: tuple[Pair, ...]
    near: tuple[Pair, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences that any of its questions names, each once."""
        return tuple(dict.fromkeys(one.sentence for one in (*self.answered, *self.near)))


def main() -> int:
    print(f"{'':34}{'found':>8}{'told':>8}")
    directory = ensure_models()
    for judge in (OverlapReranker(), *(make(directory) for make in RERANKERS.values())):
        found, told = measured(list(passages()), judge)
        print(f"{judge.model:34}{found:8.3f}{told:8.3f}")
    return 0


def passages() -> Iterator[Passage]:
    for file in sorted((QUESTIONS / "sentences").glob("*.jsonl")):
        for row in rows(file):
            yield Passage(tuple(_pairs(row["answered"])), tuple(_pairs(row["near"])))


def measured(asked: Sequence[Passage], judge: Reranker) -> tuple[float, float]:
    """Return how often a judge finds the sentence that answers, and tells it from a near miss."""
    found: list[float] = []
    told: list[float] = []
    for passage in asked:
        right: list[float] = []
        for pair in passage.answered:
            scores = judge.rerank(pair.question, passage.sentences, deadline=_forever())
            by_sentence = dict(zip(passage.sentences, scores, strict=True))
            right.append(by_sentence[pair.sentence])
            is_best = by_sentence[pair.sentence] == max(scores)
            found.append(is_best / scores.count(max(scores)))
        near = [
            judge.rerank(pair.question, [pair.sentence], deadline=_forever())[0]
            for pair in passage.near
        ]
        told += [(one > other) + (one == other) / 2 for one, other in product(right, near)]
    return fmean(found), fmean(told)


def _pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    return (Pair(row["question"], row["sentence"]) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
