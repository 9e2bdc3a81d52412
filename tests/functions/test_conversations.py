"""Conversations over HTTP: listed, shown and deleted by whose they are, unknown to others."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from pulsedocs.bootstrap import databases
from pulsedocs.model.conversations import NewTurn
from pulsedocs.model.retrieval import Usage
from tests.functions.conftest import TENANT
from tests.functions.test_changes import (
    request_to,  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
)

Send = Callable[..., tuple[int, Any]]
SUBJECT = "user-1"  # of the sample event


@pytest.fixture
def conversation_id(act_as: Callable[..., None]) -> UUID:
    """Keep one turn of a conversation."""
    conversation_id = uuid4()
    act_as("query", CONVERSATION_DAYS="2")
    usage = Usage("ask", "memory:chat", 1, 1, 0.0, "trace-1", None)
    turn = NewTurn(conversation_id, "Why?", "Because.", (), subject=SUBJECT)
    databases.retrieval_store().settle(TENANT, None, usage, turn=turn)
    return conversation_id


def test_a_conversation_is_shown_and_deleted(
    conversation_id: UUID,
    request_to: Send,  # noqa: F811 -- the fixture
) -> None:
    path = f"/conversations/{conversation_id}"

    [listed] = request_to("GET", "/conversations")[1]["conversations"]
    status, shown = request_to("GET", path)
    deleted = request_to("DELETE", path)
    again, gone = request_to("DELETE", path), request_to("GET", path)

    assert status == 200
    [turn] = shown["turns"]
    assert (turn["question"], turn["answer"], turn["trace_id"]) == ("Why?", "Because.", "trace-1")
    assert (listed["conversation_id"], listed["title"], listed["turns"]) == (
        str(conversation_id),
        "Why?",
        1,
    )
    assert set(shown) == {"conversation_id", "created_at", "expires_at", "turns"}
    assert deleted == (200, {"conversation_id": str(conversation_id)})
    assert again[0] == gone[0] == 404
    assert again[1]["code"] == gone[1]["code"] == "CONVERSATION_NOT_FOUND"


def test_a_repeated_deletion_with_its_key_says_the_same(
    conversation_id: UUID,
    request_to: Send,  # noqa: F811 -- the fixture
) -> None:
    path = f"/conversations/{conversation_id}"

    first, second = (request_to("DELETE", path, key="once") for _ in range(2))

    assert first == second == (200, {"conversation_id": str(conversation_id)})


def test_an_id_that_is_none_is_refused(request_to: Send) -> None:  # noqa: F811 -- the fixture
    status, problem = request_to("GET", "/conversations/mine")

    assert (status, problem["code"]) == (400, "INVALID_REQUEST")
