"""Whether what judges sentences tells an answer from a near miss: `python -m evaluation.sentences`.

`questions/sentences` are passages that language models wrote for this, some under a title and a
heading. Each comes with questions that one of its sentences answers, in other words and in its own,
and with some that none does, each with the sentence that a careless reader would show for it: in
`contrasts_*` mostly one of the same form about another thing of the kind (dinner for breakfast). Of
the passages every fifth is measured; from the others a judge may learn (`evaluation.teaching`).

`found` is the share of the answered ones for which the right sentence is the best of those named in
its passage, where two are equally good half of one. `told` is the share of pairs, of a question
that is answered and one that is not, of the same passage, in which the answer has the higher score
(the area under the ROC curve; .5 for a coin); `hardest` the same where the answer says it in other
words and the other sentence in the question's: less than .5 where shared words decide.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from statistics import fmean
from typing import Any, Final
from uuid import UUID

from evaluation.datasets import QUESTIONS, rows
from evaluation.measuring import RERANKERS
from local.models import ensure_models
from pulsedocs.adapters.local.cross_encoder import answer_judge
from pulsedocs.adapters.memory.reranker import OverlapReranker
from pulsedocs.answering.extractive.candidates import Read, worth_reading
from pulsedocs.answering.extractive.taught import as_read, as_read_alone
from pulsedocs.answering.passages import Block, PageText
from pulsedocs.answering.sentences import split_sentences
from pulsedocs.model.deadline import Deadline
from pulsedocs.ports.providers import Reranker

OF_LANGUAGES: Final = "languages"
"""The folder of the passages in German, French, Spanish, Italian, Dutch and Portuguese."""
forever: Final = partial(Deadline.after, 1e9)
_MEASURED: Final = 5  # of so many passages one


@dataclass(frozen=True, slots=True)
class Example:
    """What a judge of answers learns from: 1 labels a text that answers the question."""

    question: str
    text: str
    label: float
    weight: float


@dataclass(frozen=True, slots=True)
class Pair:
    question: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Passage:
    """`answered` are in other words and `plain` in the sentence's; `near` share words, `far` few.

    Those under titles are of all kinds, and only `answered` and `near`.
    """

    text: str
    answered: tuple[Pair, ...]
    near: tuple[Pair, ...]
    plain: tuple[Pair, ...] = ()
    far: tuple[Pair, ...] = ()
    title: str = ""
    heading: str = ""
    is_measured: bool = True

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences that any of its questions names, each once."""
        pairs = (*self.answered, *self.plain, *self.near, *self.far)
        return tuple(dict.fromkeys(one.sentence for one in pairs))

    def read(self, sentence: str) -> str:
        """Return a sentence as the judge of answers reads it."""
        read = self._reads().get(_plain(sentence))
        return self.under_titles(sentence) if read is None else as_read(read)

    def read_alone(self, sentence: str) -> str:
        """Return it as it is read without the sentence before."""
        read = self._reads().get(_plain(sentence))
        return self.under_titles(sentence) if read is None else as_read_alone(read)

    def under_titles(self, text: str) -> str:
        over = (f"{one}." for one in (self.title, self.heading) if one)
        return _plain(" ".join((*over, text)))

    def _reads(self) -> Mapping[str, Read]:
        return _reads(self.text, self.title, self.heading)


@cache
def _reads(text: str, title: str, heading: str) -> dict[str, Read]:
    """Return what the answerer reads of a page with this text, by its words."""
    section = (heading,) if heading else ()
    block = Block(1, UUID(int=0), "", title or None, text, (PageText(1, text),), section)
    return {_plain(one.words.text): one for one in worth_reading("", [block]) if one.lead is None}


def _plain(text: str) -> str:
    return " ".join(text.split())


def main() -> int:
    print(f"{'':34}{'found':>8}{'told':>8}{'hardest':>9}")
    directory = ensure_models()
    measured_on = [one for one in passages() if one.is_measured]
    made = (*RERANKERS.values(), answer_judge)
    for judge in (OverlapReranker(), *(make(directory) for make in made)):
        found, told, hardest = measured(measured_on, judge)
        print(f"{judge.model:34}{found:8.3f}{told:8.3f}{hardest:9.3f}")
    return 0


def passages(folder: str = "") -> Iterator[Passage]:
    for file in sorted((QUESTIONS / "sentences" / folder).glob("*.jsonl")):
        for number, row in enumerate(rows(file)):
            yield Passage(
                row["passage"],
                **{
                    kind: tuple(_pairs(row.get(kind, ())))
                    for kind in ("answered", "plain", "near", "far")
                },
                title=row.get("title", ""),
                heading=row.get("heading", ""),
                is_measured=number % _MEASURED == 0,
            )


def measured(asked: Sequence[Passage], judge: Reranker) -> tuple[float, float, float]:
    """Return how often a judge finds the sentence that answers, and tells it from a near miss."""
    found: list[float] = []
    told: list[float] = []
    hardest: list[float] = []
    for passage in asked:
        answers, others = (
            {pair: _score(passage, pair, judge) for pair in pairs}
            for pairs in (passage.answered + passage.plain, passage.near + passage.far)
        )
        for pair, score in answers.items():
            texts = [passage.read(one) for one in passage.sentences]
            scores = judge.rerank(pair.question, texts, deadline=forever())
            found.append((score == max(scores)) / scores.count(max(scores)))
        for answer, other in product(answers, others):
            one, two = answers[answer], others[other]
            told.append((one > two) + (one == two) / 2)
            if passage.plain and answer in passage.answered and other in passage.near:
                hardest.append(told[-1])
    return fmean(found), fmean(told), fmean(hardest)


def _score(passage: Passage, pair: Pair, judge: Reranker) -> float:
    return judge.rerank(pair.question, [passage.read(pair.sentence)], deadline=forever())[0]


def sentences_in(text: str) -> list[str]:
    """Return the sentences of each line: a row of a table is one."""
    return [
        line[span.start : span.end] for line in text.splitlines() for span in split_sentences(line)
    ]


def _pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    return (Pair(row["question"], row["sentence"]) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
