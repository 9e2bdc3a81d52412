"""A word that a sentence lacks counts by what the sentence is worth to the question without it."""

import math
from collections.abc import Sequence

import pytest

from pulsedocs.answering.asked.judging import judged
from pulsedocs.answering.asked.match import Likeness, SentenceInContext
from pulsedocs.answering.left_out import Scorer, is_said_otherwise, weighed

TOWER = "The tower was demolished in 1966."
KIOSK = "At the gate of the zoo tea is sold from a kiosk."


def odds(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def gaining(whole: float, **gains: float) -> Scorer:
    """Score with `whole` log-odds, and with more for a question without one of the words."""

    def score(question: str, sentences: Sequence[str]) -> list[float]:
        more = sum(gain for word, gain in gains.items() if word not in question.lower())
        return [odds(whole + more)] * len(sentences)

    return score


def is_met(question: str, sentence: str, scorer: Scorer, *, alike: float = 0.0) -> bool:
    likeness = Likeness(lambda _word, _others: alike, same=0.7)
    match = judged(question, SentenceInContext(sentence, "", sentence), likeness=likeness)
    [found] = weighed(question, [(sentence, scorer(question, [sentence])[0], match)], scorer=scorer)
    return found.is_met


@pytest.mark.parametrize(
    ("whole", "gain", "expected"),
    [
        (5.0, 0.1, True),  # read in other words
        (5.0, 0.9, False),  # it stands against the sentence
        (3.0, 0.1, False),  # not sure enough of what nobody else tells
    ],
)
def test_a_predicate_is_said_where_a_sure_judge_does_not_miss_it(
    whole: float, gain: float, *, expected: bool
) -> None:
    """S0-16: "torn down" is "demolished", which no list of words knows."""
    assert is_met("When was the tower torn down?", TOWER, gaining(whole, torn=gain)) is expected


@pytest.mark.parametrize(
    "question",
    [
        "When was the bridge demolished?",  # named as a thing
        "When was Torn demolished?",  # a name
        "How many towers were there in 1967?",  # a year
        "Was Walburga demolished in 1966?",  # what is asked about, first in a closed question
        "Are bells demolished in 1966?",
    ],
)
def test_what_is_asked_about_is_never_said_by_a_judge_alone(question: str) -> None:
    """S0-16: a sure judge misses neither another building nor another year."""
    assert not is_met(question, TOWER, gaining(6.0))


@pytest.mark.parametrize(("gain", "expected"), [(0.1, True), (0.9, False)])
def test_a_near_word_is_none_where_the_judge_knows_the_difference(
    gain: float, *, expected: bool
) -> None:
    """S0-16: to an embedder herbal is as good as green."""
    answers = is_met("Is herbal tea sold at the gate?", KIOSK, gaining(1.0, herbal=gain), alike=0.8)

    assert answers is expected


def test_where_all_words_are_said_nothing_is_asked_again() -> None:
    def never(_question: str, _sentences: Sequence[str]) -> list[float]:
        raise AssertionError

    match = judged("Is tea sold at the gate?", SentenceInContext(KIOSK, "", KIOSK), likeness=None)

    assert weighed("Is tea sold at the gate?", [(KIOSK, 0.99, match)], scorer=never) == [match]


def test_only_the_best_sentences_are_asked_again_and_the_others_answer_nothing() -> None:
    """Each costs what a sentence does; one that nobody held against the question is no answer."""
    read: list[int] = []

    def counting(_question: str, sentences: Sequence[str]) -> list[float]:
        read.append(len(sentences))
        return [odds(5.0)] * len(sentences)

    question = "When was the tower torn down?"
    match = judged(question, SentenceInContext(TOWER, "", TOWER), likeness=None)
    found = weighed(question, [(TOWER, odds(5.0), match)] * 10, scorer=counting)

    assert (read, [each.is_met for each in found]) == ([6], [True] * 6 + [False] * 4)


LEAVE = "Selling holiday back to the company is not permitted, for reasons of health."


@pytest.mark.parametrize(
    ("question", "whole", "gains", "expected"),
    [
        ("What of selling free days to the company?", 3.0, {"free": 0.7}, True),
        ("What of selling free days to the company?", 3.0, {"free": 0.9}, False),
        ("What of selling free days to the company?", 5.0, {"free": 0.9}, True),  # sure
        ("What of selling free days to the company?", 5.0, {"free": 1.2}, False),
        ("What of selling free days to the company?", 2.0, {}, False),  # unlikely
        ("What of selling holiday back to the firm?", 5.0, {"firm": 0.4}, True),
        ("What of selling holiday back to the firm?", 5.0, {"firm": 0.6}, False),  # a thing
        ("What is said about selling leave in 2024?", 6.0, {}, False),  # a year
        ("What is said about selling leave at the Norden office?", 6.0, {}, False),  # a name
        ("May I sell the boat to the company?", 6.0, {}, False),  # what a closed question names
        ("What is said of bread, cheese and wine sold here?", 6.0, {}, False),  # too much of it
    ],
)
def test_a_sentence_may_say_all_of_it_in_other_words_but_not_another_thing(
    question: str, whole: float, gains: dict[str, float], *, expected: bool
) -> None:
    """S0-16. Fails when: a word that nobody listed refuses what a judge is sure of."""
    scorer = gaining(whole, **gains)
    match = judged(question, SentenceInContext(LEAVE, "", LEAVE, page=LEAVE), likeness=None)
    told = (LEAVE, scorer(question, [LEAVE])[0], match)

    assert match.loose, "every word is said"
    assert is_said_otherwise(question, told, scorer=scorer) is expected
