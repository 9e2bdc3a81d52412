"""Lambda takes back what a function needs when nobody calls it for weeks; the next call waits."""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from functions.query import handler as query
from pulsedocs import bootstrap
from pulsedocs.adapters.aws.box_client import LambdaBoxFinder, boxes_function
from pulsedocs.errors import DatabaseWarming
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.highlights import PagePlace
from tests.contract.aws_answers import ASLEEP, Answer, AwsServer, aws_that_answers, lambda_error
from tests.sample_events import sample

_EVENT = sample("query")
_CONTEXT: Any = SimpleNamespace(
    function_name="query",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:query",
    aws_request_id="request-1",
    get_remaining_time_in_millis=lambda: 28_000,
)

Ask = Callable[[Answer], tuple[dict[str, Any], AwsServer]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """Ask a question where Lambda gives an answer of the test for the function `retrieve`."""

    def asked(answer: Answer) -> tuple[dict[str, Any], AwsServer]:
        with aws_that_answers(answer) as server:
            monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
            bootstrap.reset()
            return query.handler(_EVENT, _CONTEXT), server

    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "RETRIEVE_FUNCTION": "retrieve",
        "BUCKET": "pulsedocs-dev",
        "TRACE_SECRET": "a secret of sixteen",
        "PULSEDOCS_STAGE": "local",
        "EMBEDDING_MODEL": "memory:hashing@384",
        "RERANKER_MODEL": "memory:overlap",
    }.items():
        monkeypatch.setenv(name, value)
    yield asked
    monkeypatch.undo()
    bootstrap.reset()


@pytest.mark.parametrize("name", ASLEEP)
def test_a_question_to_a_stage_that_slept_is_told_when_to_come_back(name: str, ask: Ask) -> None:
    """T-11: and the call is what wakes the function up."""
    response, server = ask(ASLEEP[name])

    assert response["statusCode"] == 503
    assert json.loads(response["body"])["code"] == "WARMING"
    assert response["multiValueHeaders"]["Retry-After"] == ["5"]
    assert server.requests == ["POST /2015-03-31/functions/retrieve/invocations"]


def test_a_function_that_nobody_may_call_is_an_error_and_never_warming(ask: Ask) -> None:
    response, _ = ask(lambda_error(403, "AccessDeniedException"))

    assert json.loads(response["body"])["code"] != "WARMING"


@pytest.mark.parametrize("name", ASLEEP)
def test_the_boxes_of_a_quote_wait_for_their_function_too(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-11."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    place = PagePlace(
        tenant_id=uuid4(),
        document_id=uuid4(),
        object_version="v",
        content_type="application/pdf",
        page=1,
        ranges=((0, 1),),
        text_sha256="00",
    )
    with aws_that_answers(ASLEEP[name]) as server:
        function = boxes_function("boxes", region="us-east-1", endpoint_url=server.url)
        with pytest.raises(DatabaseWarming):
            LambdaBoxFinder(function, deadline=Deadline.after(20)).find(place)
