"""A deployment is no outage: what is under way while a version replaces another ends PUBLISHED.

The other version is the last release, as far as its steps can be heard: tests/released_steps.py.
An execution keeps the state machine that it began with, and its functions change under it.
"""

from dataclasses import replace

import pytest

from local.stage import Stage
from pulsedocs.pipeline import Step
from tests.e2e.tenant import Json, Tenant
from tests.released_steps import (
    LONG,
    SEMANTIC,
    SPOKEN_TO,
    Mixed,
    ReleasedSteps,
    ingesting_by,
    request_model,
    speaking_through,
)

RELEASED = ReleasedSteps.last()
KNOWN = [function for function in SPOKEN_TO if function in RELEASED.spoken]
"""The functions that the last release had too."""
STEPS = [step for step in Step if step != Step.FAIL]


def under_way(request: Json) -> str:
    """Return the document that a step is told about."""
    run = request.get("run")
    key: str = "" if run else request["event"]["detail"]["object"]["key"]
    return run["document_id"] if run else key.split("/")[2]


class Replacing:
    """Replaces the functions under each document at another step of its way."""

    def __init__(self, *, old_first: bool) -> None:
        self._old_first = old_first
        self.replaced_at: dict[str, str] = {}
        self._passed: set[str] = set()

    def is_old(self, function: str, request: Json) -> bool:
        if function == "retrieve":
            return True
        document = under_way(request)
        at = self.replaced_at.setdefault(document, STEPS[len(self.replaced_at) % len(STEPS)])
        if function == at:
            self._passed.add(document)
        return (document not in self._passed) == self._old_first


def published(stage: Stage, tenant: Tenant, mixed: Mixed) -> list[str]:
    """Send a document for each step, half of them semantic ones; return their outcomes."""
    with speaking_through(stage.pool, mixed):
        documents = [
            tenant.upload(
                f"{LONG}Number {number}.".encode(),
                filename=f"{number}.txt",
                **({"chunking": SEMANTIC} if number % 2 else {}),
            )
            for number in range(len(STEPS))
        ]
        return [tenant.outcome(document)["outcome"] for document in documents]


@pytest.mark.parametrize("function", KNOWN)
def test_a_function_understands_what_the_last_release_said_to_it(function: str) -> None:
    model = request_model(function)

    understood = [model.model_validate(request) for request in RELEASED.spoken[function]]

    assert understood, "nothing was said to it"


@pytest.mark.parametrize("function", KNOWN)
def test_a_function_understands_more_than_it_knows(function: str) -> None:
    """A step of a newer version says more: what is new has a default, and is passed over."""
    model = request_model(function)
    said = RELEASED.spoken[function]

    understood = [model.model_validate(each | {"said_since": {"a": [1]}}) for each in said]

    assert understood == [model.model_validate(each) for each in said] != []


def test_documents_in_flight_while_a_new_version_replaces_the_last_end_published(
    stage: Stage, tenant: Tenant
) -> None:
    """Each began with the last release's machine; its functions are replaced at every step."""
    replacing = Replacing(old_first=True)
    mixed = Mixed(RELEASED, replacing.is_old)

    with ingesting_by(stage, RELEASED.machine):
        outcomes = published(stage, tenant, mixed)

    assert outcomes == ["PUBLISHED"] * len(STEPS)
    assert sorted(replacing.replaced_at.values()) == sorted(STEPS)
    assert mixed.refused == []


def test_documents_in_flight_while_the_last_version_comes_back_end_published(
    stage: Stage, tenant: Tenant
) -> None:
    """A rollback: each began with the new machine, and ends with functions of the last release."""
    replacing = Replacing(old_first=False)
    mixed = Mixed(RELEASED, replacing.is_old)

    outcomes = published(stage, tenant, mixed)

    assert outcomes == ["PUBLISHED"] * len(STEPS)
    assert mixed.refused == []


def test_questions_are_answered_while_retrieve_is_of_the_other_version(
    stage: Stage, tenant: Tenant
) -> None:
    tenant.ingest(b"The pump delivers 12 litres a minute.")
    mixed = Mixed(RELEASED, is_old=lambda function, _request: function == "retrieve")

    with speaking_through(stage.pool, mixed):
        answer = tenant.post("/ask", {"question": "How many litres does the pump deliver?"})

    assert "12 litres" in answer["answer"]
    assert mixed.refused == []


def test_an_answer_without_what_the_machine_goes_by_is_found(stage: Stage, tenant: Tenant) -> None:
    """What these tests would say of a machine that needs more than the last release answers."""
    knew_less = RELEASED.changed(extract={"pages": None})
    mixed = Mixed(knew_less, is_old=lambda function, _request: function == Step.EXTRACT)

    with speaking_through(stage.pool, mixed):
        outcome = tenant.ingest(b"The pump delivers 12 litres a minute.")["outcome"]

    assert outcome == "FAILED"


def test_a_request_that_the_last_release_would_refuse_is_found(
    stage: Stage, tenant: Tenant
) -> None:
    schema = RELEASED.requests["publish"] | {"required": ["run", "reason"]}
    strict = replace(RELEASED, requests=RELEASED.requests | {"publish": schema})
    mixed = Mixed(strict, is_old=lambda function, _request: function == "publish")

    with speaking_through(stage.pool, mixed):
        tenant.ingest(b"The pump delivers 12 litres a minute.")

    assert mixed.refused == ["publish: 'reason' is a required property"]
