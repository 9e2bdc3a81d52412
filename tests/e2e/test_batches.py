"""A prefix becomes documents: each object once, however it ends, and never too many at a time."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from psycopg import Connection

from local.lambda_errors import Invocation, failed
from local.stage import BUCKET, Stage
from local.workers import Observed
from tests import forked
from tests.e2e.tenant import Json, Tenant
from tests.integration.invariants import violations
from tests.patience import PATIENCE
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE

LIMIT: Final = 3
TEXTS: Final = {
    f"reports/{number:03}.txt": f"Station {number} reads {number + 3} bar at noon.".encode()
    for number in range(14)
}
BROKEN: Final = {
    "reports/copy-a.txt": TEXTS["reports/000.txt"],
    "reports/copy-b.txt": TEXTS["reports/001.txt"],
    "reports/empty.txt": b"",
    "reports/clip.mp4": b"\0\0\0\x18ftypmp42",
    "reports/damaged.pdf": b"%PDF-1.7\nand no more",
}
FAILURES: Final = {
    "damaged.pdf": "PDF_CORRUPTED",
    "empty.txt": "FILE_EMPTY",
    "clip.mp4": "UNSUPPORTED_CONTENT_TYPE",
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, model_directory: Path) -> Iterator[Stage]:
    """Start a stage of its own: its workers die."""
    with Stage(
        tmp_path_factory.mktemp("batches"),
        model_directory=model_directory,
        settings=FAST_MODELS,
        retry_scale=RETRY_SCALE,
        environment=forked.start,
        batch_concurrency=LIMIT,
    ) as running:
        yield running


def prefix_of(tenant: Tenant) -> str:
    return f"s3://{BUCKET}/imports/{tenant.tenant_id}/reports/"


def shelve(stage: Stage, tenant: Tenant, files: dict[str, bytes]) -> None:
    s3 = stage.aws.client("s3")
    for name, body in files.items():
        s3.put_object(Bucket=BUCKET, Key=f"imports/{tenant.tenant_id}/{name}", Body=body)


def start(tenant: Tenant, **options: Any) -> str:
    answer = tenant.send("POST", "/ingest/batch", {"s3_prefix": prefix_of(tenant), **options})
    assert answer.status_code == 202, answer.text
    return answer.json()["batch_id"]


def ended(tenant: Tenant, batch_id: str, *, states: tuple[str, ...] = ("FINISHED",)) -> Json:
    deadline = time.monotonic() + PATIENCE
    while (status := tenant.get(f"/batches/{batch_id}"))["state"] not in states:
        assert time.monotonic() < deadline, status
        time.sleep(0.1)
    return status


def executions(stage: Stage, name: str) -> list[Json]:
    machine = stage.machine_arn.replace(":ingest", f":{name}")
    states = stage.aws.client("stepfunctions")
    return states.list_executions(stateMachineArn=machine, maxResults=1000)["executions"]


def most_at_once(seen: list[Observed]) -> int:
    """Return how many steps of documents ran or waited at one moment."""
    beside = {"authorize", "tally", "documents", "batches"}
    steps = [each for each in seen if each.function not in beside]
    moments = sorted([(each.started, 1) for each in steps] + [(each.ended, -1) for each in steps])
    running = most = 0
    for _, change in moments:
        running += change
        most = max(most, running)
    return most


def test_a_prefix_becomes_documents_and_what_fails_is_named(
    stage: Stage, admin: Connection[Any], tenant: Tenant
) -> None:
    """S3-04."""
    shelve(stage, tenant, TEXTS | BROKEN)
    runs = len(executions(stage, "ingest"))

    with stage.pool.observing() as seen:
        status = ended(tenant, start(tenant, metadata={"site": 7}))

    called = Counter(each.function for each in seen)
    assert status["counts"] == {"PENDING": 0, "PUBLISHED": len(TEXTS) + 2, "REJECTED": 3}
    assert status["total"] == len(TEXTS | BROKEN)
    assert {
        failure["source"].rpartition("/")[2]: failure["code"] for failure in status["failures"]
    } == FAILURES
    assert called["publish"] == len(TEXTS) + 2  # once each
    assert called["embed"] == len(TEXTS)
    assert most_at_once(seen) <= LIMIT
    assert len(executions(stage, "ingest")) == runs  # the copies started nothing beside the batch
    assert violations(admin, tenant.tenant_id) == []
    found = tenant.post("/search", {"query": "Station 12 reads bar at noon"})["chunks"]
    assert {chunk["metadata"]["site"] for chunk in found} == {7}


def test_the_same_prefix_again_brings_only_what_is_new(stage: Stage, tenant: Tenant) -> None:
    files = dict(list(TEXTS.items())[:5])
    shelve(stage, tenant, files)
    first = ended(tenant, start(tenant))
    shelve(stage, tenant, {"reports/000.txt": b"Station 0 is closed.", "reports/new.txt": b"New."})

    with stage.pool.observing() as seen:
        second = ended(tenant, start(tenant))

    called = Counter(each.function for each in seen)
    assert first["counts"] == {"PENDING": 0, "PUBLISHED": 5}
    assert second["counts"] == {"PENDING": 0, "PUBLISHED": 6}
    assert (called["claim"], called["publish"]) == (2, 2)
    assert len(tenant.get("/documents")["documents"]) == 6


def test_two_batches_of_one_prefix_at_once_both_finish(
    stage: Stage, admin: Connection[Any], tenant: Tenant
) -> None:
    """S3-04: each copies the objects to the same documents, and one copy overtakes the other."""
    shelve(stage, tenant, TEXTS)

    both = [start(tenant), start(tenant)]

    states = ("FINISHED", "INCOMPLETE")
    counts = [ended(tenant, batch_id, states=states)["counts"] for batch_id in both]
    assert [(each["PENDING"], sum(each.values())) for each in counts] == [(0, len(TEXTS))] * 2
    assert sum(each.get("PUBLISHED", 0) for each in counts) >= len(TEXTS)
    assert len(tenant.get("/documents")["documents"]) == len(TEXTS)
    assert violations(admin, tenant.tenant_id) == []


@pytest.mark.parametrize("is_purged", [False, True])
def test_a_document_deleted_between_its_copy_and_its_claim_comes_in_anew(
    stage: Stage,
    admin: Connection[Any],
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_purged: bool,
) -> None:
    """S3-04: its object lies below the prefix, as it does where the copy follows the deletion."""
    shelve(stage, tenant, {"reports/000.txt": b"The valve is open.", "reports/001.txt": b"Shut."})
    ended(tenant, start(tenant))
    before = {each["document_id"] for each in tenant.get("/documents")["documents"]}
    shelve(stage, tenant, {"reports/000.txt": b"The valve is closed."})
    invoke, deleted = stage.pool.invoke, list[str]()

    def delete_first(function: str, event: bytes, **waiting: Any) -> Any:
        if function.endswith("claim") and not deleted:
            document_id = json.loads(event)["event"]["detail"]["object"]["key"].rpartition("/")[2]
            deleted.append(document_id)
            receipt = tenant.send("DELETE", f"/documents/{document_id}").json()["receipt_id"]
            while is_purged and not tenant.get(f"/deletions/{receipt}")["completed_at"]:
                time.sleep(0.05)
        return invoke(function, event, **waiting)

    monkeypatch.setattr(stage.pool, "invoke", delete_first)
    status = ended(tenant, start(tenant), states=("FINISHED", "INCOMPLETE"))

    assert (status["state"], status["counts"]) == ("FINISHED", {"PENDING": 0, "PUBLISHED": 2})
    now = {each["document_id"] for each in tenant.get("/documents")["documents"]}
    assert (before - now, len(now)) == (set(deleted), 2)
    assert violations(admin, tenant.tenant_id) == []


def test_an_object_whose_claim_is_refused_says_why_and_can_be_resumed(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-04: no rows come of such a claim, as of a collection whose model is one too many."""
    shelve(stage, tenant, {"reports/000.txt": b"The valve is open.", "reports/001.txt": b"Shut."})
    invoke, refused = stage.pool.invoke, list[str]()

    def refuse_one(function: str, event: bytes, **waiting: Any) -> Invocation:
        if function.endswith("claim"):
            key = json.loads(event)["event"]["detail"]["object"]["key"]
            refused.append(refused[0] if refused else key)
            if key == refused[0]:
                said = "this stage has 100 models already; retire one first"
                return failed({"errorType": "Conflict", "errorMessage": said})
        return invoke(function, event, **waiting)

    monkeypatch.setattr(stage.pool, "invoke", refuse_one)
    batch_id = start(tenant)
    status = ended(tenant, batch_id, states=("FINISHED", "INCOMPLETE"))

    assert (status["state"], status["counts"]) == (
        "FINISHED",
        {"PENDING": 0, "FAILED": 1, "PUBLISHED": 1},
    )
    [failure] = status["failures"]
    assert (failure["code"], failure["message"][:10]) == ("CONFLICT", "this stage")
    monkeypatch.undo()
    assert tenant.send("POST", f"/batches/{batch_id}/resume").status_code == 202
    assert ended(tenant, batch_id)["counts"] == {"PENDING": 0, "PUBLISHED": 2}


def test_an_object_of_which_nothing_came_does_not_stay_pending(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3-04: each of its copies is gone before it is claimed, the second time as the first."""
    shelve(stage, tenant, {"reports/000.txt": b"The valve is open.", "reports/001.txt": b"Shut."})
    invoke = stage.pool.invoke
    s3 = stage.aws.client("s3")

    def remove_copy(function: str, event: bytes, **waiting: Any) -> Invocation:
        if function.endswith("claim") and b"version-id" in event:
            copied = json.loads(event)["event"]["detail"]["object"]
            named = {"Bucket": BUCKET, "Key": copied["key"], "VersionId": copied["version-id"]}
            if s3.get_object(**named)["Body"].read() == b"Shut.":
                s3.delete_object(**named)
        return invoke(function, event, **waiting)

    monkeypatch.setattr(stage.pool, "invoke", remove_copy)
    batch_id = start(tenant)
    status = ended(tenant, batch_id, states=("FINISHED", "INCOMPLETE"))

    assert (status["state"], status["counts"]) == (
        "FINISHED",
        {"PENDING": 0, "FAILED": 1, "PUBLISHED": 1},
    )
    [failure] = status["failures"]
    assert (failure["source"].rpartition("/")[2], failure["code"]) == ("001.txt", "STUCK")
    monkeypatch.undo()
    assert tenant.send("POST", f"/batches/{batch_id}/resume").status_code == 202
    assert ended(tenant, batch_id)["counts"] == {"PENDING": 0, "PUBLISHED": 2}


def test_workers_killed_in_the_middle_change_nothing(
    stage: Stage, admin: Connection[Any], tenant: Tenant
) -> None:
    """P-02: at least one SIGKILL in the functions of the batch and of its documents."""
    shelve(stage, tenant, dict(list(TEXTS.items())[:8]))
    for function, point in (
        ("collect", "ingest.recorded"),
        ("collect", "ingest.placed"),
        ("tally", "enrol.before_commit"),
        ("claim", "adopt.before_commit"),
        ("chunk", "chunk.after_commit"),
        ("publish", "publish.before_commit"),
    ):
        stage.pool.inject(function, f"{point}:kill:1")

    status = ended(tenant, start(tenant))

    assert status["counts"] == {"PENDING": 0, "PUBLISHED": 8}
    assert violations(admin, tenant.tenant_id) == []
    assert len(tenant.get("/documents")["documents"]) == 8


def test_a_batch_that_is_aborted_goes_on_where_it_was(
    stage: Stage, admin: Connection[Any], tenant: Tenant
) -> None:
    """P-02: what it held is given back, and nothing that is done is done again."""
    shelve(stage, tenant, TEXTS)
    batch_id = start(tenant)
    states = stage.aws.client("stepfunctions")
    while tenant.get(f"/batches/{batch_id}")["counts"].get("PUBLISHED", 0) < 2:
        time.sleep(0.05)
    running = next(each for each in executions(stage, "batch") if each["status"] == "RUNNING")
    assert tenant.send("POST", f"/batches/{batch_id}/resume").json()["code"] == "BATCH_RUNNING"

    states.stop_execution(executionArn=running["executionArn"])
    stopped = ended(tenant, batch_id, states=("INCOMPLETE",))
    assert tenant.send("POST", f"/batches/{batch_id}/resume").status_code == 202
    status = ended(tenant, batch_id, states=("FINISHED", "INCOMPLETE"))

    assert 0 < stopped["counts"]["PENDING"] < len(TEXTS)
    assert status["counts"] == {"PENDING": 0, "PUBLISHED": len(TEXTS)}
    assert violations(admin, tenant.tenant_id) == []
    versions = admin.execute(
        "SELECT max(latest_version) FROM document WHERE tenant_id = %s", [tenant.tenant_id]
    ).fetchone()
    assert versions == (1,)


def test_an_event_that_comes_twice_starts_one_batch(stage: Stage, tenant: Tenant) -> None:
    shelve(stage, tenant, {"reports/one.txt": b"The pump is primed."})
    batch_id = start(tenant)
    status = ended(tenant, batch_id)
    key = f"control/batch/{tenant.tenant_id}/{batch_id}"
    machine = stage.machine_arn.replace(":ingest", ":batch")
    states = stage.aws.client("stepfunctions")

    again = states.start_execution(
        stateMachineArn=machine,
        name=f"again-{batch_id}",
        input=json.dumps({"detail": {"object": {"key": key}}}),
    )["executionArn"]
    deadline = time.monotonic() + PATIENCE
    while (found := states.describe_execution(executionArn=again))["status"] == "RUNNING":
        assert time.monotonic() < deadline
        time.sleep(0.05)

    assert found["status"] == "SUCCEEDED"
    assert tenant.get(f"/batches/{batch_id}") == status


def test_a_batch_is_its_tenants_own(stage: Stage, new_tenant: Callable[..., Tenant]) -> None:
    """S2-15: another's prefix, another's batch and none read alike."""
    owner, stranger = new_tenant(), new_tenant()
    shelve(stage, owner, {"reports/secret.txt": b"A secret."})
    batch_id = start(owner)

    refused = stranger.send("POST", "/ingest/batch", {"s3_prefix": prefix_of(owner)})
    seen = [stranger.send("GET", f"/batches/{each}") for each in (batch_id, uuid4())]

    assert (refused.status_code, refused.json()["code"]) == (404, "OBJECT_NOT_FOUND")
    assert [(each.status_code, each.json()["code"]) for each in seen] == [
        (404, "BATCH_NOT_FOUND")
    ] * 2
    assert ended(owner, batch_id)["counts"] == {"PENDING": 0, "PUBLISHED": 1}


def test_a_prefix_without_objects_is_finished_at_once(tenant: Tenant) -> None:
    status = ended(tenant, start(tenant))

    assert (status["total"], status["counts"], status["failures"]) == (0, {"PENDING": 0}, [])
    assert status["finished_at"] is not None
