"""Whether a judge of sentences tells an answer from a near miss, and with what that is measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from evaluation.outsiders import SETS, outsiders, outsiders_of_languages
from evaluation.sentences import OF_LANGUAGES, Pair, Passage, measured, passages
from pulsedocs.model.deadline import Deadline

ASKED = Passage(
    "The juniors elect the warden. The club has a boat.",
    answered=(Pair("Who picks the warden?", "The juniors elect the warden."),),
    plain=(Pair("Who picks the warden of the juniors?", "The juniors elect the warden."),),
    near=(
        Pair("Who is the warden?", "The juniors elect the warden."),
        Pair("What does the boat cost?", "The club has a boat."),
    ),
)


@dataclass(frozen=True, slots=True)
class Scripted:
    """Implements `ports.providers.Reranker` by the question and the last word of a text."""

    scores: dict[tuple[str, str], float]
    model: str = "test:scripted"

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del deadline
        return tuple(self.scores.get((query.split()[1], one.split()[-1]), 0.0) for one in passages)


@pytest.mark.parametrize(
    ("scores", "found", "told"),
    [
        ({("picks", "warden."): 3.0, ("is", "warden."): 1.0, ("does", "boat."): 2.0}, 1.0, 1.0),
        ({("picks", "warden."): 1.5, ("is", "warden."): 1.0, ("does", "boat."): 2.0}, 1.0, 0.5),
        ({("picks", "warden."): 2.0, ("is", "warden."): 2.0, ("does", "boat."): 3.0}, 1.0, 0.25),
        ({("picks", "boat."): 2.0, ("is", "warden."): 1.0, ("does", "boat."): 1.0}, 0.0, 0.0),
        ({}, 0.5, 0.5),
    ],
)
def test_answers_are_held_against_the_near_misses_of_their_passage(
    scores: dict[tuple[str, str], float], found: float, told: float
) -> None:
    assert measured([ASKED], Scripted(scores))[:2] == (found, told)


def test_hardest_is_an_answer_in_other_words_against_a_sentence_with_the_question_s() -> None:
    asked = replace(
        ASKED,
        plain=(Pair("Who elects the warden?", "The juniors elect the warden."),),
        far=(Pair("Where is food sold?", "The club has a boat."),),
    )
    scores = {("elects", "warden."): 9.0, ("picks", "warden."): 3.0, ("is", "warden."): 4.0}

    assert measured([asked], Scripted(scores)) == (1.0, 5 / 6, 0.5)


PAGE = "Fees are due in May.\nBoat | Fee\nSkiff | 9\nPunt | 7\nNote each trip.\nBring:\n- oars"


@pytest.mark.parametrize(
    ("sentence", "read"),
    [
        ("Fees are due in May.", "Fees are due in May."),
        ("Punt | 7", "Boat: Punt, Fee: 7"),
        ("- oars", "Bring: - oars"),
        ("are due", "are due"),
    ],
)
def test_a_sentence_is_read_as_the_judge_of_answers_reads_it(sentence: str, read: str) -> None:
    passage = Passage(PAGE, answered=(), near=(), title="Club rules", heading="Boats")

    assert passage.read(sentence) == f"Club rules. Boats. {read}"


def test_a_sentence_is_read_behind_the_one_that_it_follows_and_alone() -> None:
    passage = Passage("The club has a boat. It is red.", answered=(), near=(), title="Rules")

    assert passage.read("It is red.") == "Rules. The club has a boat. It is red."
    assert passage.read_alone("It is red.") == "Rules. It is red."


def test_each_passage_has_answers_and_near_misses_in_it_and_none_is_of_the_outsiders() -> None:
    asked = list(passages())
    of_languages = list(passages(OF_LANGUAGES))
    sets = (*map(outsiders, SETS), *outsiders_of_languages())
    texts = [page.text for own in sets for one in own.documents for page in one.pages]
    elsewhere = " ".join(texts)

    assert len(asked) == 967
    assert sum(one.is_measured for one in asked) == 196
    assert len(of_languages) == 174
    for passage in (*asked, *of_languages):
        assert min(len(passage.answered), len(passage.near)) >= 5
        assert all(one in passage.text for one in passage.sentences)
        assert all(one not in elsewhere for one in passage.sentences)
