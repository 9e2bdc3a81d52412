"""Minutes of a council, asked as its members ask: by what they mean, not by the words it uses."""

from collections.abc import Iterator
from typing import Final

import pytest

from local.stage import Stage
from tests.e2e.tenant import Tenant, holding

MINUTES: Final = """# Minutes of the Parish Council

Held on Tuesday 14 October 2025 at 7.30 pm in the Reading Room.

Present: Anne Barlow (Chair), Tom Reeve, Sunita Mehta, and the Clerk, Judith Orme.

Apologies: David Knott and Ruth Hale.

## Playground

Tom Reeve reported that the swing is broken. Work starts on 3 November and takes two weeks.

## Date of the next meeting

Tuesday 11 November 2025 at 7.30 pm. The meeting closed at 9.05 pm.
"""


@pytest.fixture(scope="module")
def council(stage: Stage) -> Iterator[Tenant]:
    with holding(stage, {"minutes.md": MINUTES}) as tenant:
        yield tenant


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who attended?", "Sunita Mehta"),
        ("When is the next meeting?", "11 November"),
        ("When did the meeting end?", "closed at 9.05 pm"),
        ("tl;dr", "Minutes of the Parish Council"),
        ("summary", "Minutes of the Parish Council"),
    ],
)
def test_members_are_told_what_the_minutes_say(council: Tenant, question: str, says: str) -> None:
    """S0-16. Fails when: what says all of its heading's question is passed over for one more word.

    The date of the next meeting is no sentence, and stands below its heading; the sentence behind
    it has "meeting" in it.
    """
    answer = council.post("/ask", {"question": question})

    assert says in answer["answer"]


def test_who_was_present_is_not_said_of_who_was_absent(council: Tenant) -> None:
    answer = council.post("/ask", {"question": "Who was absent?"})

    assert "Barlow" not in answer["answer"]


def test_a_filter_that_leaves_no_document_is_not_said_of_what_documents_contain(
    council: Tenant,
) -> None:
    answer = council.post("/ask", {"question": "Who attended?", "filters": {"year": 1999}})

    assert answer["abstained"]["reason"] == "NO_DOCUMENTS"
    assert answer["answer"] == "The filters leave no document that can be searched."
