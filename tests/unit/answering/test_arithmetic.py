"""What an answer computes is computed again, from figures that have to stand on a page."""

import re
import time
from datetime import date

import pytest

from pulsedocs.answering.arithmetic import arithmetic_of
from pulsedocs.answering.claims import claims_of
from pulsedocs.answering.prompt import messages
from pulsedocs.answering.verification import Verified, Verifier
from pulsedocs.model.answers import CitationStatus
from tests.unit.answering.blocks import block


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("43.6 million + 51.2 million = 94.8 million euros", True),
        ("43.6 million + 51.2 million = 94.9 million euros", False),
        ("(43.6 - 33.3) / 33.3 = 31 %", True),
        ("(43.6 - 33.3) / 33.3 = 32 %", False),
        ("12 months \u00d7 43 euros = 516 euros", True),
        ("12 x 43 = 515", False),
        ("1.200,50 + 1 = 1.201,50", True),
        ("\u20ac300 + \u20ac200 = \u20ac500", True),
        ("200 * 5 % = 10", True),
        ("10 / 3 \u2248 3.33", True),
        ("10 * 2 = 20 + 5 = 25", False),
        ("43.6 > 33.3", True),
        ("43.6 < 33.3", False),
        ("1/0 = 3", False),
        ("9**9**9**9 = 1", False),
        ("(43.6 + 33.3 = 76.9)", True),
        ("(43.6 + 33.3 = 77.9)", False),
        ("(43.6 > 33.3)", True),
        ("(33.3 > 43.6)", False),
        ("((43.6 + 33.3) / 2 = 38.45)", True),
        ("(900 EUR + 700 EUR = 1,600 EUR)", True),
        ("5 + (3 = 8)", False),
        ("count: 2", True),
        ("count: 3", False),
        ("The fee is 30 euros from 2019-2024.", True),
    ],
)
def test_a_calculation_is_right_or_not(text: str, is_right: bool) -> None:  # noqa: FBT001 -- a case
    assert arithmetic_of(text, quotes=2).is_right is is_right


def test_the_forms_that_a_model_is_told_to_write_are_right() -> None:
    asked = (messages(question, [], history=[], today=date(2026, 11, 30)) for question in ASKED)
    shown = [form for said, *_ in asked for form in re.findall(r"as in (\(.*?\))", said.content)]

    assert len(shown) == len(ASKED)
    assert all(arithmetic_of(form, quotes=2).is_right for form in shown)
    assert any(arithmetic_of(form, quotes=2).results for form in shown)


def test_only_results_need_to_stand_nowhere() -> None:
    mean = arithmetic_of("(3 + 4 + 8) / 3 = 5", quotes=1)
    nothing = arithmetic_of("5 + 0 = 5", quotes=1)
    percent = arithmetic_of("10 / 40 * 100 = 25 %", quotes=1)

    assert mean.given == {"3", "4", "8"}
    assert nothing.given == {"5", "0"}
    assert percent.given == {"10", "40"}


def test_a_hostile_calculation_takes_no_time() -> None:
    started = time.process_time()

    for text in ("1 - " * 480 + "= 1", "1+" * 990, "(" * 1990, "1=" * 999, "1 a b c " * 240):
        arithmetic_of(text, quotes=1)

    assert time.process_time() - started < 20


ASKED = ("What is the sum of both rents?", "Is the rent in Bonn higher than in Dover?")
SALES = "Sales in Asia were 43.6 million euros. Sales in Europe were 51.2 million euros."
QUOTES = '[1: "Sales in Asia were 43.6 million"] [1: "Sales in Europe were 51.2 million"]'


def verified(answer: str) -> Verified:
    claims = claims_of(answer, is_known_address=lambda _: False)
    return Verifier([block(1, SALES)]).verify(claims)


@pytest.mark.parametrize(
    "said",
    ["Together they were 43.6 + 51.2 = 94.8 million euros", "94.8 million (43.6 + 51.2 = 94.8)"],
)
def test_a_sum_of_quoted_figures_is_shown(said: str) -> None:
    found = verified(f"{said} {QUOTES}.")

    assert "43.6 + 51.2 = 94.8" in found.text
    assert len(found.citations) == 2


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (f"Together 43.6 + 51.2 = 95.8 million euros {QUOTES}.", CitationStatus.MISCALCULATED),
        (f"Asia sold more: 43.6 > 51.2 {QUOTES}.", CitationStatus.MISCALCULATED),
        (f"Together 43.6 + 50.0 = 93.6 million euros {QUOTES}.", CitationStatus.NOT_FOUND),
        (f"Together they were 94.8 million euros {QUOTES}.", CitationStatus.NOT_FOUND),
        (f"Three regions are named (count: 3) {QUOTES}.", CitationStatus.MISCALCULATED),
    ],
)
def test_what_does_not_follow_from_quoted_figures_is_not_shown(
    answer: str, status: CitationStatus
) -> None:
    found = verified(answer)

    assert found.text == ""
    assert found.counts == {status: 1}


def test_overlapping_quotes_count_once() -> None:
    twice = '[1: "Sales in Asia were 43.6 million"] [1: "in Asia were 43.6 million euros"]'

    assert verified(f"Two regions (count: 2) {twice}.").text == ""
    assert verified(f"Two regions (count: 2) {QUOTES}.").text != ""


def test_no_is_an_answer_and_no_denial_of_what_follows() -> None:
    found = verified('No, sales in Asia were 43.6 million euros [1: "Sales in Asia were 43.6"].')

    assert found.text.startswith("No, sales in Asia")
