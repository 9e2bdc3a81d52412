"""A refused reservation keeps its numbers on the way from one function to another."""

import json
from uuid import UUID

import pytest

from pulsedocs.errors import BudgetExceeded
from pulsedocs.model.budgets import Amounts
from pulsedocs.questions.answer_retrieval_call import RetrievalCall, answer_retrieval_call
from pulsedocs.retrieval import wire
from tests.unit.questions.shelf import TENANT, Shelf

CALL = wire.ReserveCall(
    tenant_id=TENANT, reservation_id=UUID(int=9), amounts=Amounts(tokens=7, microdollars=3)
)


def answered(shelf: Shelf) -> bytes:
    """Return what `retrieve` answers, as JSON there and back."""
    request = RetrievalCall.model_validate_json(CALL.model_dump_json())
    return json.dumps(answer_retrieval_call(request, store=shelf)).encode()  # pyright: ignore[reportArgumentType] -- as much of a store as this call needs


def test_what_is_asked_for_arrives() -> None:
    shelf = Shelf()

    wire.raise_refusal(answered(shelf))

    assert shelf.reserved == [Amounts(tokens=7, microdollars=3)]


def test_a_refusal_arrives_with_its_numbers() -> None:
    refused = BudgetExceeded("the day is spent", limit=10.0, measure="tokens", resets_at="2026")
    shelf = Shelf(failing={"reserve": refused})

    with pytest.raises(BudgetExceeded, match="the day is spent") as arrived:
        wire.raise_refusal(answered(shelf))

    assert arrived.value.context == refused.context
