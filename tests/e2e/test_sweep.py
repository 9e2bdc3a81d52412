"""What the stage lost, the sweep finds: events that never came, runs that people stop."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from moto.s3.models import s3_backends
from psycopg.types.json import Jsonb

from local.rest_events import ACCOUNT
from local.stage import BUCKET, Stage
from tests.e2e.tenant import Tenant
from tests.patience import PATIENCE

TIMED_OUT: dict[str, Any] = {"code": "TIMED_OUT", "message": "", "context": {}, "guidance": ""}
LATE = timedelta(minutes=20)
TEXT = b"The gauge is read at noon. Readings go to the duty engineer."


@contextmanager
def lost_events(stage: Stage) -> Generator[None]:
    """Turn the rule on uploads off: the bucket sends its events to nobody."""
    events = stage.aws.client("events")
    events.disable_rule(Name="uploads")
    try:
        yield
    finally:
        events.enable_rule(Name="uploads")


def age_objects(tenant: Tenant, by: timedelta) -> None:
    """Let time pass for what the bucket has of one tenant."""
    keys: Any = s3_backends[ACCOUNT]["aws"].buckets[BUCKET].keys
    for key in keys.values():
        if str(tenant.tenant_id) in key.name:
            key.last_modified -= by


def age(stage: Stage, tenant: Tenant) -> None:
    """Let time pass for one tenant: in the bucket and in the rows."""
    age_objects(tenant, LATE)
    with psycopg.connect(stage.database_url) as connection:
        connection.execute(
            "UPDATE pulsedocs.document_version SET requested_at = requested_at - %(late)s,"
            " registered_at = registered_at - %(late)s WHERE tenant_id = %(tenant_id)s",
            {"late": LATE, "tenant_id": tenant.tenant_id},
        )


@pytest.mark.parametrize("full", [False, True], ids=["marker", "full pass"])
def test_an_upload_whose_event_is_lost_is_found(
    stage: Stage, tenant: Tenant, *, full: bool
) -> None:
    """P-01, S0-28: by its marker within minutes, or by comparing the bucket with the rows."""
    with lost_events(stage):
        document_id = tenant.upload(TEXT)
    assert tenant.status(document_id)["received_at"] is None
    assert stage.sweep(full=full)["counts"]["requeued"] == 0
    age(stage, tenant)

    report = stage.sweep(full=full)

    assert report["counts"]["requeued"] == 1
    assert report["left"] is None
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"


def test_cancel_retry_and_redrive_over_http(stage: Stage, tenant: Tenant) -> None:
    """P-02: each typed, each the same when asked twice."""
    with lost_events(stage):
        document_id = tenant.upload(TEXT)
    path = f"/documents/{document_id}"

    first = tenant.send("POST", f"{path}/cancel")
    second = tenant.send("POST", f"{path}/cancel")
    retried = tenant.send("POST", f"{path}/retry")

    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert first.json() == {"document_id": document_id, "version": 1, "outcome": "CANCELLED"}
    assert (retried.status_code, retried.json()["code"]) == (409, "NOTHING_TO_RETRY")
    again = tenant.ingest(TEXT, document_id=document_id)
    assert (again["version"], again["outcome"]) == (2, "PUBLISHED")
    refused = tenant.send("POST", f"{path}/cancel")
    assert (refused.status_code, refused.json()["code"]) == (409, "NOTHING_TO_CANCEL")


def test_a_failed_document_is_redriven_and_published(stage: Stage, tenant: Tenant) -> None:
    """P-02: dry run, redrive, and a second one that finds nothing left to ask for."""
    with lost_events(stage):
        document_id = tenant.upload(TEXT)
    fail(stage, tenant, document_id)
    body = {"code": "TIMED_OUT", "older_than": "0s", "limit": 10}

    looked = tenant.post("/operations/redrive", body | {"dry_run": True})
    asked = tenant.post("/operations/redrive", body)
    again = tenant.post("/operations/redrive", body)

    assert [item["document_id"] for item in looked["documents"]] == [document_id]
    assert asked["documents"] == looked["documents"]
    assert (looked["requeued"], asked["requeued"], again["requeued"]) == (0, 1, 0)
    published_after(tenant, document_id)


def test_a_trace_is_gone_after_thirty_days_on_a_machine_too(stage: Stage, tenant: Tenant) -> None:
    """On AWS a rule of the bucket ends it; here the full pass does."""
    tenant.ingest(TEXT)
    trace = tenant.post("/ask", {"question": "When is the gauge read?"})["trace_id"]
    stage.sweep(full=True)
    before = tenant.send("GET", f"/traces/{trace}").status_code
    age_objects(tenant, timedelta(days=31))

    stage.sweep(full=True)

    assert (before, tenant.send("GET", f"/traces/{trace}").status_code) == (200, 404)


def fail(stage: Stage, tenant: Tenant, document_id: str) -> None:
    """End the upload FAILED, as a run would have that ran out of time."""
    key = f"u/{tenant.tenant_id}/{document_id}"
    head = stage.aws.client("s3").head_object(Bucket=BUCKET, Key=key)
    with psycopg.connect(stage.database_url) as connection:
        connection.execute(
            "UPDATE pulsedocs.document_version SET object_version = %s, received_at = now(),"
            " outcome = 'FAILED', error = %s WHERE tenant_id = %s",
            [head["VersionId"], Jsonb(TIMED_OUT), tenant.tenant_id],
        )


def published_after(tenant: Tenant, document_id: str) -> None:
    """Wait until the document, FAILED a moment ago, is published."""
    deadline = time.monotonic() + PATIENCE
    while tenant.status(document_id)["outcome"] != "PUBLISHED":
        assert time.monotonic() < deadline, tenant.status(document_id)
        time.sleep(0.1)
