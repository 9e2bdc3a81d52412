"""A paused database: people are told to come back, the state machine waits, clients do both."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stamina

from pulsedocs import bootstrap
from pulsedocs.errors import DatabaseWarming
from tests.functions.test_ingestion_functions import call
from tests.sample_events import sample

NOBODY_LISTENS = "postgresql://pulsedocs_api@127.0.0.1:1/pulsedocs"


@pytest.fixture
def asleep(act_as: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    act_as("api")
    monkeypatch.setenv("DATABASE_URL", NOBODY_LISTENS)
    bootstrap.reset()
    with stamina.set_testing(True, attempts=2):
        yield


@pytest.mark.usefixtures("asleep")
def test_a_request_is_answered_with_when_to_come_back() -> None:
    answer: dict[str, Any] = call("documents", sample("documents"))

    assert answer["statusCode"] == 503
    assert '"code": "WARMING"' in answer["body"]
    assert answer["multiValueHeaders"]["Retry-After"] == ["5"]


@pytest.mark.parametrize("function", ["publish", "retrieve"])
@pytest.mark.usefixtures("asleep")
def test_a_step_ends_with_the_name_that_is_waited_for(function: str) -> None:
    """The state machine retries it by this name; `query` raises it again for its caller."""
    with pytest.raises(DatabaseWarming):
        call(function, sample(function))
