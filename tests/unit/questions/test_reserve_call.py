"""A refused reservation keeps its numbers on the way from one function to another."""

import json
from uuid import UUID

from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.budgets import Amounts
from pulsedocs.questions.answer_retrieval_call import RetrievalCall, answer_retrieval_call
from pulsedocs.retrieval import wire
from tests.unit.questions.shelf import TENANT, Shelf

CALL = wire.ReserveCall(
    tenant_id=TENANT, reservation_id=UUID(int=9), amounts=Amounts(tokens=7, microdollars=3)
)


def answered(shelf: Shelf) -> wire.Refused | None:
    """Return what `retrieve` answers, as JSON there and back."""
    request = RetrievalCall.model_validate_json(CALL.model_dump_json())
    answer = answer_retrieval_call(request, store=shelf)  # pyright: ignore[reportArgumentType] -- as much of a store as this call needs
    return CALL.answers.validate_json(json.dumps(answer))


def test_what_is_asked_for_arrives() -> None:
    shelf = Shelf()

    assert answered(shelf) is None
    assert shelf.reserved == [Amounts(tokens=7, microdollars=3)]


def test_a_refusal_arrives_with_its_numbers() -> None:
    refused = BudgetExceeded("the day is spent", limit=10.0, measure="tokens", resets_at="2026")
    shelf = Shelf(failing={"reserve": refused})

    assert answered(shelf) == wire.Refused("the day is spent", refused.context)
