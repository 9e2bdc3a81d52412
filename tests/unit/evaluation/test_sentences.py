"""Whether a judge of sentences tells an answer from a near miss, and with what that is measured."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from evaluation.outsiders import SETS, outsiders
from evaluation.sentences import Pair, Passage, measured, passages
from pulsedocs.model.deadline import Deadline

ASKED = Passage(
    answered=(Pair("Who picks the warden?", "The juniors elect the warden."),),
    near=(
        Pair("Who is the warden?", "The juniors elect the warden."),
        Pair("What does the boat cost?", "The club has a boat."),
    ),
)


@dataclass(frozen=True, slots=True)
class Scripted:
    """Implements `ports.providers.Reranker` by the question and the first words of a sentence."""

    scores: dict[tuple[str, str], float]
    model: str = "test:scripted"

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del deadline
        return tuple(self.scores.get((query.split()[1], one.split()[1]), 0.0) for one in passages)


@pytest.mark.parametrize(
    ("scores", "found", "told"),
    [
        ({("picks", "juniors"): 3.0, ("is", "juniors"): 1.0, ("does", "club"): 2.0}, 1.0, 1.0),
        ({("picks", "juniors"): 1.5, ("is", "juniors"): 1.0, ("does", "club"): 2.0}, 1.0, 0.5),
        ({("picks", "juniors"): 2.0, ("is", "juniors"): 2.0, ("does", "club"): 3.0}, 1.0, 0.25),
        ({("picks", "club"): 2.0, ("is", "juniors"): 1.0, ("does", "club"): 1.0}, 0.0, 0.0),
        ({}, 0.5, 0.5),
    ],
)
def test_answers_are_held_against_the_near_misses_of_their_passage(
    scores: dict[tuple[str, str], float], found: float, told: float
) -> None:
    assert measured([ASKED], Scripted(scores)) == (found, told)


def test_every_passage_has_five_answers_and_five_near_misses_and_none_is_of_the_outsiders() -> None:
    asked = list(passages())
    texts = [
        page.text for own in map(outsiders, SETS) for one in own.documents for page in one.pages
    ]
    elsewhere = " ".join(texts)

    assert len(asked) == 320
    for passage in asked:
        assert (len(passage.answered), len(passage.near)) == (5, 5)
        assert all(one not in elsewhere for one in passage.sentences)
