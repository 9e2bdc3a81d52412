"""The sample events beside the handlers carry one document from its claim to publication."""

import importlib
import json
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import pytest
from pydantic import BaseModel

from local.models import ensure_models
from pulsedocs.errors import DuplicateInProgress, FencedOut, InvalidRequest
from tests.functions.conftest import BUCKET, DOCUMENT, TENANT, Bucket, Context
from tests.sample_events import NAMES, sample

TEXT = (
    b"The pump must be primed before the first run of the day. Open the bleed valve, fill the\n"
    b"housing with clean water and close the valve when no more air escapes.\n"
)

SAMPLES = [name for name in NAMES if "httpMethod" not in sample(name) and name != "authorize"]
COPY = {"document_id": str(uuid4()), "filename": "copy.txt"}


def call(function: str, event: dict[str, Any]) -> dict[str, Any]:
    handler = importlib.import_module(f"functions.{function}.handler").handler
    answer = handler(event, Context(function))
    return json.loads(json.dumps(answer))


def register(act_as: Callable[..., None], **changed: Any) -> dict[str, Any]:
    act_as("api")
    event = sample("documents")
    event["body"] = json.dumps(json.loads(event["body"]) | {"size": len(TEXT)} | changed)
    response = call("documents", event)
    assert response["statusCode"] == 201, response["body"]
    return json.loads(response["body"])


def upload(bucket: Bucket, announced: dict[str, Any], body: bytes = TEXT) -> dict[str, Any]:
    """Put the bytes as the form would; return the sample event, speaking of them."""
    fields = announced["upload"]["fields"]
    version = bucket.put(
        fields["key"],
        body,
        ContentType=fields["Content-Type"],
        Metadata={"version": fields["x-amz-meta-version"]},
    )
    event = sample("claim")
    event["event"]["detail"]["object"] |= {"key": fields["key"], "version-id": version}
    return event


def run_to_the_end(act_as: Callable[..., None], claimed: dict[str, Any]) -> list[dict[str, Any]]:
    """Call the functions one after another, each with its sample event and what came before."""
    run = claimed["run"]
    act_as()
    extracted = call("extract", sample("extract") | {"run": run, "object": claimed["object"]})
    act_as("ingest", MODEL_DIRECTORY=str(ensure_models()))
    stored = call("store", sample("store") | {"run": run, "extracted": extracted})
    cleaned = call("clean", sample("clean") | {"run": run})
    chunked = call("chunk", sample("chunk") | {"run": run})
    [batch] = chunked["batches"]
    act_as()
    embedded = call(
        "embed", sample("embed") | {"run": run, "model": chunked["model"], "batch": batch}
    )
    act_as("ingest")
    vectors = {"kind": "vectors", "model": chunked["model"], "batch": batch, "embedded": embedded}
    written = call("store", {"run": run, **vectors})
    published = call("publish", sample("publish") | {"run": run})
    return [extracted, stored, cleaned, chunked, embedded, written, published]


def test_the_sample_events_publish_a_document(act_as: Callable[..., None], bucket: Bucket) -> None:
    """P-02, S2-04: ids and counts travel, text does not; every step answers within 256 KB."""
    event = upload(bucket, register(act_as))
    act_as("ingest")
    claimed = call("claim", event)

    answers = run_to_the_end(act_as, claimed)

    assert answers[-1] == {"outcome": "PUBLISHED"}
    assert all(b"primed" not in json.dumps(answer).encode() for answer in [claimed, *answers])
    assert bucket.keys("open/") == []


def newer(value: Any) -> Any:
    """Return what a version after this one might say: everywhere a field that we do not know."""
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        return {"added_later": {"of": 1}} | {name: newer(item) for name, item in known.items()}
    return [newer(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def test_a_document_goes_on_where_the_steps_before_it_are_newer(
    act_as: Callable[..., None], bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T-13: in what they are asked and in what lies in the bucket, fields that they do not know."""
    event = upload(bucket, register(act_as))
    asked = call

    def call_older(function: str, event: dict[str, Any]) -> dict[str, Any]:
        for key in bucket.keys("staging/"):
            held = bucket.client.get_object(Bucket=BUCKET, Key=key)["Body"].read().decode()
            lines = [json.dumps(newer(json.loads(line))) for line in held.splitlines()]
            bucket.put(key, "\n".join(lines).encode())
        return asked(function, newer(event))

    monkeypatch.setattr(f"{__name__}.call", call_older)
    act_as("ingest")

    answers = run_to_the_end(act_as, call_older("claim", event))

    assert answers[-1] == {"outcome": "PUBLISHED"}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_step_takes_a_request_with_fields_that_a_newer_version_added(name: str) -> None:
    """T-13: every function that AWS calls with JSON of our own, at every depth of it."""
    handler = importlib.import_module(f"functions.{name}.handler").handler
    [model] = [
        hint
        for argument, hint in typing.get_type_hints(handler.__wrapped__).items()
        if argument != "return" and isinstance(hint, type) and issubclass(hint, BaseModel)
    ]

    assert model.model_validate(newer(sample(name))) == model.model_validate(sample(name))


def test_a_range_and_what_became_of_it_pass_through_the_same_function(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    """K08: a page that was lost is written as a failed one, and the document is whole."""
    event = upload(bucket, register(act_as))
    act_as("ingest")
    claimed = call("claim", event)
    act_as()
    work = {"run": claimed["run"], "object": claimed["object"]}
    opened = {"pages": 2, "parts": [], "ranges": [{"first": 1, "last": 1}], "complete": False}
    measured = {"sha256": "0" * 64, "size": len(TEXT), "elapsed_ms": 3}

    read = call("extract", {"kind": "range", "range": {"first": 1, "last": 1}, **work})
    again = call("extract", {"kind": "range", "range": {"first": 1, "last": 1}, **work})
    lost = {"first": 2, "last": 2, "lost": "ResourceExhausted"}
    gather = {"kind": "gather", "run": claimed["run"], "extracted": opened | measured}
    gathered = call("extract", gather | {"read": [read, lost]})

    assert (read["first"], read["last"], read["lost"]) == (1, 1, None)
    assert again["elapsed_ms"] == 0
    assert gathered["parts"] == [{"first": 1, "last": 1}, {"first": 2, "last": 2}]
    assert (gathered["complete"], gathered["ranges"]) == (True, [])
    assert len(bucket.keys("staging/")) == 2


def test_the_ledger_says_how_long_was_read_and_embedded_outside_the_database(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")

    extracted, stored, *_, written, _ = run_to_the_end(act_as, call("claim", event))

    assert stored["extract_ms"] == extracted["elapsed_ms"] > 0
    assert isinstance(written["embed_ms"], int)


def test_a_claimed_document_is_marked_open(act_as: Callable[..., None], bucket: Bucket) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")

    call("claim", event)

    assert bucket.keys("open/") == [f"open/{TENANT}/{DOCUMENT}"]


def test_the_same_execution_claims_again_and_another_does_not(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")
    first = call("claim", event)

    again = call("claim", event)
    stranger = call("claim", event | {"execution": "arn:another"})

    assert again == first
    assert stranger["work"] is False


def test_the_stages_settings_decide_what_the_upload_left_open(
    act_as: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2-18: a new collection takes the stage's chunk profile, a form the stage's lifetime."""
    monkeypatch.setenv("CHUNK_PROFILE", "words")
    monkeypatch.setenv("UPLOAD_SECONDS", "60")

    announced = register(act_as)

    shown = json.loads(call("documents", status_request())["body"])
    assert shown["chunking"]["profile"] == "words"
    expires_in = datetime.fromisoformat(announced["upload"]["expires_at"]) - datetime.now(UTC)
    assert expires_in.total_seconds() <= 60


@pytest.mark.parametrize(
    "key",
    [
        "u/not-a-tenant/not-a-document",
        f"u/{TENANT}/{DOCUMENT}/more",
        f"u/{str(TENANT).upper()[:-1]}A/{DOCUMENT}",
        f"u//{TENANT}/{DOCUMENT}",
        f"../u/{TENANT}/{DOCUMENT}",
        f"u/{TENANT}%2F{DOCUMENT}",
        f"staging/{TENANT}/{DOCUMENT}",
        f"traces/{TENANT}/{DOCUMENT}",
    ],
)
def test_a_forged_key_is_refused(act_as: Callable[..., None], key: str) -> None:
    """P-01: the event is a hint, and its key is read strictly."""
    act_as("ingest")
    event = sample("claim")
    event["event"]["detail"]["object"]["key"] = key

    with pytest.raises(InvalidRequest):
        call("claim", event)


def test_an_event_for_an_unknown_document_is_no_work(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    act_as("ingest")
    event = sample("claim")
    uploaded = event["event"]["detail"]["object"]
    uploaded["version-id"] = bucket.put(uploaded["key"], TEXT, ContentType="text/plain")

    assert call("claim", event)["work"] is False


def test_an_event_for_an_object_that_is_gone_is_no_work(act_as: Callable[..., None]) -> None:
    act_as("ingest")

    assert call("claim", sample("claim"))["work"] is False


def test_an_empty_file_is_rejected_with_its_reason(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as), b"")
    act_as("ingest")

    claimed = call("claim", event)

    assert (claimed["work"], claimed["outcome"]) == (False, "REJECTED")
    act_as("api")
    shown = json.loads(call("documents", status_request())["body"])
    assert shown["outcome"] == "REJECTED"
    assert shown["error"]["code"] == "FILE_EMPTY"
    assert shown["error"]["message"] == "the file has no bytes"
    assert shown["error"]["guidance"]


def test_the_same_bytes_end_in_the_claim(act_as: Callable[..., None], bucket: Bucket) -> None:
    """S2-07: a document's own bytes are recognised before anything is extracted."""
    first = upload(bucket, register(act_as))
    act_as("ingest")
    run_to_the_end(act_as, call("claim", first))
    again = upload(bucket, register(act_as))
    act_as("ingest")

    answer = call("claim", again | {"execution": "execution-2"})

    assert (answer["work"], answer["outcome"]) == (False, "DUPLICATE")
    assert bucket.keys("open/") == []


def test_a_claim_that_gives_up_waiting_ends_the_run_it_holds(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    """The other document's run never ends: the uploader learns it, and the sweep tries again."""
    first = upload(bucket, register(act_as))
    act_as("ingest")
    call("claim", first)
    event = upload(bucket, register(act_as, **COPY)) | {"execution": "execution-2"}
    act_as("ingest")
    with pytest.raises(DuplicateInProgress):
        call("claim", event)

    error = {"Error": "DuplicateInProgress", "Cause": '{"errorMessage": "the same bytes"}'}
    recorded = call("fail", {**event, "error": error})

    assert recorded == {"outcome": "FAILED"}
    assert len(bucket.keys("open/")) == 2
    act_as("api")
    copy = json.loads(call("documents", status_request(COPY["document_id"]))["body"])
    assert copy["error"]["code"] == "DUPLICATE_IN_PROGRESS"


def test_a_stale_failure_cannot_overwrite_a_success(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")
    claimed = call("claim", event)
    run_to_the_end(act_as, claimed)

    assert call("fail", sample("fail") | {"run": claimed["run"]}) == {"outcome": None}

    act_as("api")
    assert json.loads(call("documents", status_request())["body"])["outcome"] == "PUBLISHED"


@pytest.mark.parametrize(
    ("status", "code"), [("TIMED_OUT", "TIMED_OUT"), ("ABORTED", "PROCESSING_FAILED")]
)
def test_an_execution_that_ends_uncaught_fails_the_run_it_holds(
    act_as: Callable[..., None], bucket: Bucket, status: str, code: str
) -> None:
    """P-02: the rule on execution status finds the run by the execution's name."""
    event = upload(bucket, register(act_as))
    act_as("ingest")
    call("claim", event)
    ended = status_change(status, execution=event["execution"], started_by=event["event"])

    assert call("fail", ended) == {"outcome": "FAILED"}
    assert call("fail", ended) == {"outcome": None}

    act_as("api")
    shown = json.loads(call("documents", status_request())["body"])
    assert (shown["outcome"], shown["error"]["code"]) == ("FAILED", code)
    assert bucket.keys("open/") == []


def test_another_execution_that_ends_fails_nothing(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")
    call("claim", event)

    stranger = status_change("ABORTED", execution="arn:another", started_by=event["event"])

    assert call("fail", stranger) == {"outcome": None}


def status_change(status: str, *, execution: str, started_by: dict[str, Any]) -> dict[str, Any]:
    """Make the event that EventBridge sends when an execution ends."""
    return {
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "detail": {"executionArn": execution, "status": status, "input": json.dumps(started_by)},
    }


def test_a_step_with_a_fence_nobody_gave_is_fenced_out(
    act_as: Callable[..., None], bucket: Bucket
) -> None:
    event = upload(bucket, register(act_as))
    act_as("ingest")
    run = call("claim", event)["run"]

    with pytest.raises(FencedOut):
        call("clean", {"run": run | {"fence": run["fence"] - 1}})


def test_an_event_that_does_not_fit_names_the_field(act_as: Callable[..., None]) -> None:
    act_as("ingest")

    with pytest.raises(InvalidRequest, match="run"):
        call("clean", {})


def status_request(document_id: str = str(DOCUMENT)) -> dict[str, Any]:
    event = sample("documents")
    path = f"/documents/{document_id}"
    return event | {
        "httpMethod": "GET",
        "path": path,
        "resource": "/documents/{document_id}",
        "pathParameters": {"document_id": document_id},
        "body": None,
    }
