"""A worker killed at a write boundary of the real state machine leaves no trace in the rows.

A subset: every boundary is struck in some function, and every function at two of them.
`tests/integration/ingestion` strikes them all.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from local.environment import REPOSITORY
from local.stage import BUCKET, Stage
from tests import forked
from tests.e2e.tenant import Json, Tenant, send_form
from tests.integration.digest import version_digest
from tests.integration.invariants import violations
from tests.patience import PATIENCE
from tests.plugins.stage import FAST_MODELS, RETRY_SCALE

DOCUMENT: Final = "22222222-2222-4222-8222-222222222222"
TEXT: Final = "\n\n".join(
    f"Section {number}. The gauge of station {number} is read at {number + 3} o'clock and logged."
    for number in range(1, 13)
).encode()
LATER_TEXT: Final = TEXT.replace(b"o'clock", b"hours sharp")

POINTS: Final[dict[str, tuple[str, ...]]] = {
    # the function whose worker dies, and where
    "claim": ("before_commit", "after_commit", "before_marker"),
    "extract": ("before_write", "after_write"),
    "store": ("store.before_commit", "store.after_commit", "embed.written", "embed.after_commit"),
    "clean": ("locked", "before_commit", "after_commit"),
    "chunk": ("planned", "after_commit", "before_batches"),
    "embed": ("before_write", "after_write"),
    "publish": ("before_commit", "before_marker"),
}
ONLY_WHEN_SEMANTIC: Final = {"before_sentences", "before_distances", "after_distances"}
"""Struck in `tests/integration/faults`, as are the points of updates, deletes and sweeps."""
ROUNDS: Final = [
    {
        function: point if "." in point else f"{function}.{point}"
        for function, point in zip(POINTS, points, strict=True)
        if point is not None
    }
    for points in zip_longest(*POINTS.values())
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, model_directory: Path) -> Iterator[Stage]:
    """Start a stage of its own: its workers die, and small batches make several of them."""
    with Stage(
        tmp_path_factory.mktemp("killed"),
        model_directory=model_directory,
        settings={**FAST_MODELS, "EMBEDDING_BATCH_SIZE": "2"},
        retry_scale=RETRY_SCALE,
        environment=forked.start,
    ) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(stage: Stage, admin: Connection[Any]) -> str:
    """Return the digest of a run that nothing happened to."""
    return digest_after(stage, admin, TEXT)


def digest_after(stage: Stage, admin: Connection[Any], body: bytes) -> str:
    with Tenant.new(stage) as tenant:
        assert tenant.ingest(body, document_id=DOCUMENT)["outcome"] == "PUBLISHED"
    return version_digest(admin, tenant.tenant_id, UUID(DOCUMENT))


def test_every_kind_of_boundary_is_struck() -> None:
    """A new kind of `fault_point` of a run fails here until it is listed above."""
    product = REPOSITORY / "layers" / "core" / "python" / "pulsedocs"
    named: set[str] = set()
    for path in product.rglob("*.py"):
        named |= set(re.findall(r'fault_point\(f?"([^"]+)"\)', path.read_text(encoding="utf-8")))
    of_runs = {name for name in named if name.startswith(("{", *POINTS))}
    boundaries = {name.rpartition(".")[2] for name in of_runs} - ONLY_WHEN_SEMANTIC

    assert boundaries == {
        point.rpartition(".")[2] for points in POINTS.values() for point in points
    }


@pytest.mark.parametrize("struck", ROUNDS, ids=lambda struck: struck["store"])
def test_workers_killed_in_one_run_change_nothing(
    stage: Stage,
    admin: Connection[Any],
    undisturbed: str,
    new_tenant: Callable[[], Tenant],
    struck: dict[str, str],
) -> None:
    """P-02, S0-05, S0-26, S0-29: one SIGKILL in each function that the round names (I1-I7)."""
    tenant = new_tenant()
    for function, point in struck.items():
        stage.pool.inject(function, f"{point}:kill:1")

    status = tenant.ingest(TEXT, document_id=DOCUMENT)

    assert status["outcome"] == "PUBLISHED"
    assert version_digest(admin, tenant.tenant_id, UUID(DOCUMENT)) == undisturbed
    assert violations(admin, tenant.tenant_id) == []
    assert killed_in(stage) >= len(struck)


def killed_in(stage: Stage) -> int:
    """Wait for the newest execution; count the tasks whose worker exited."""
    states = stage.aws.client("stepfunctions")
    executions = states.list_executions(stateMachineArn=stage.machine_arn)["executions"]
    newest = max(executions, key=lambda execution: execution["startDate"])["executionArn"]
    finished(stage, newest)
    history = states.get_execution_history(executionArn=newest, maxResults=1000)["events"]
    return sum("Runtime.ExitError" in json.dumps(event, default=str) for event in history)


@pytest.mark.parametrize(
    ("function", "point"),
    [
        ("claim", "claim.before_commit"),
        ("store", "store.written"),
        ("chunk", "chunk.before_commit"),
        ("publish", "publish.locked"),
    ],
)
def test_a_dropped_connection_changes_nothing(
    stage: Stage,
    admin: Connection[Any],
    undisturbed: str,
    new_tenant: Callable[[], Tenant],
    function: str,
    point: str,
) -> None:
    """S0-26: the database goes away in the middle of a transaction (K13)."""
    tenant = new_tenant()
    stage.pool.inject(function, f"{point}:drop:1")

    status = tenant.ingest(TEXT, document_id=DOCUMENT)

    assert status["outcome"] == "PUBLISHED"
    assert version_digest(admin, tenant.tenant_id, UUID(DOCUMENT)) == undisturbed
    assert violations(admin, tenant.tenant_id) == []


def test_a_step_that_always_fails_ends_the_document_failed(
    stage: Stage, admin: Connection[Any], new_tenant: Callable[[], Tenant]
) -> None:
    """P-02: a FAILED outcome with its reason, never a document that stays on its way."""
    tenant = new_tenant()
    for attempt in range(1, 14):  # the first and the state machine's twelve retries
        stage.pool.inject("clean", f"clean.planned:raise:{attempt}")

    status = tenant.ingest(TEXT)

    assert status["outcome"] == "FAILED"
    assert status["error"]["code"] == "STORE_UNAVAILABLE"
    assert violations(admin, tenant.tenant_id) == []


def test_the_same_event_twice_runs_once(
    stage: Stage, admin: Connection[Any], undisturbed: str, new_tenant: Callable[[], Tenant]
) -> None:
    """P-01: delivered again during and after the first run; the others end in `claim`."""
    tenant = new_tenant()
    registered = tenant.register(TEXT, document_id=DOCUMENT)
    assert send_form(registered["upload"], TEXT).is_success
    event = event_of(stage, tenant, size=len(TEXT))
    for name in ("again", "and-again"):
        start(stage, event, name=f"{name}-{tenant.tenant_id}")

    status = tenant.outcome(DOCUMENT)
    late = start(stage, event, name=f"late-{tenant.tenant_id}")

    assert status["outcome"] == "PUBLISHED"
    assert finished(stage, late) == {"status": "SUCCEEDED", "states": ["Claim", "IsThereWork"]}
    assert version_digest(admin, tenant.tenant_id, UUID(DOCUMENT)) == undisturbed
    assert violations(admin, tenant.tenant_id) == []


def test_versions_that_arrive_out_of_order_end_with_the_newer(
    stage: Stage, admin: Connection[Any], new_tenant: Callable[[], Tenant]
) -> None:
    """P-01, K04: the event of the older bytes comes after the newer ones are published."""
    tenant = new_tenant()
    events = stage.aws.client("events")
    older, newer = (
        tenant.register(body, document_id=DOCUMENT, filename="note.txt")
        for body in (TEXT, LATER_TEXT)
    )
    events.disable_rule(Name="uploads")
    try:
        assert send_form(older["upload"], TEXT).is_success
        late = event_of(stage, tenant, size=len(TEXT))
    finally:
        events.enable_rule(Name="uploads")
    assert send_form(newer["upload"], LATER_TEXT).is_success
    assert tenant.outcome(DOCUMENT, version=2)["outcome"] == "PUBLISHED"
    late["detail"]["object"]["sequencer"] = "0001"
    execution = start(stage, late, name=f"older-{tenant.tenant_id}")

    assert finished(stage, execution)["status"] == "SUCCEEDED"
    expected = digest_after(stage, admin, LATER_TEXT)
    assert version_digest(admin, tenant.tenant_id, UUID(DOCUMENT)) == expected
    assert tenant.status(DOCUMENT)["published_version"] == 2
    assert violations(admin, tenant.tenant_id) == []


def event_of(stage: Stage, tenant: Tenant, *, size: int) -> Json:
    """Return the event of the object's newest version, in the bucket's own form."""
    key = f"u/{tenant.tenant_id}/{DOCUMENT}"
    stored = stage.aws.client("s3").head_object(Bucket=BUCKET, Key=key)
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Object Created",
        "source": "aws.s3",
        "detail": {
            "version": "0",
            "bucket": {"name": BUCKET},
            "object": {
                "key": key,
                "size": size,
                "version-id": stored["VersionId"],
                "sequencer": "0055AED6DCD90281E5",
            },
            "reason": "PostObject",
        },
    }


def start(stage: Stage, event: Json, *, name: str) -> str:
    execution = stage.aws.client("stepfunctions").start_execution(
        stateMachineArn=stage.machine_arn, name=name, input=json.dumps(event)
    )
    return execution["executionArn"]


def finished(stage: Stage, execution: str) -> Json:
    """Wait for an execution; return its status and the states it passed."""
    states = stage.aws.client("stepfunctions")
    deadline = time.monotonic() + PATIENCE
    while (status := states.describe_execution(executionArn=execution)["status"]) == "RUNNING":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    history = states.get_execution_history(executionArn=execution, maxResults=1000)["events"]
    passed = [
        event["stateEnteredEventDetails"]["name"]
        for event in history
        if "stateEnteredEventDetails" in event
    ]
    return {"status": status, "states": [name for name in passed if name != "NothingToDo"]}
