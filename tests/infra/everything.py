"""Everything a stage does, over HTTP, so that somebody may look at what AWS is asked meanwhile."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import psycopg
from moto.s3.models import s3_backends

from local.rest_events import ACCOUNT
from local.stage import BUCKET, Stage
from pulsedocs.model import object_keys
from tests.contract.fake_openai_server import FakeOpenAIServer, failing
from tests.e2e import test_batches as batches
from tests.e2e import test_deletion as deletion
from tests.e2e import test_highlight as highlight
from tests.e2e import test_large_documents as large
from tests.e2e import test_models as models
from tests.e2e import test_sweep as sweep
from tests.e2e.tenant import PDF, Json, Tenant, send_form
from tests.e2e.test_ingest import settled
from tests.patience import PATIENCE
from tests.sample_events import sample
from tests.unit.extraction.scans import photographed, prose

NOTE: Final = b"The gauge of the boiler is read at noon. The duty engineer writes it down."
UNSEEN: Final = "\u200b\u2060 \u00ad\n".encode()
"""`extract` takes it for text; `clean` finds nothing that shows, and ends the document itself."""
STORY: Final = " ".join(
    f"Sentence {number} tells of the {thing} of station {number * 7}."
    for number in range(30)
    for thing in ("lantern", "winch", "anchor", "gangway")
).encode()
NEW_MODEL: Final = "memory:hashing@128"
QUESTION: Final = "When is the gauge of the boiler read?"
TOO_LATE: Final = "tests.infra.impatient"


def uploads(stage: Stage, tenant: Tenant) -> None:
    """Show a page, follow a link, and send texts that come to nothing."""
    document_id = tenant.upload(highlight.report(), filename="report.pdf", content_type=PDF)
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    assert highlight.highlight(tenant, document_id, "twelve litres")["boxes"]
    link = tenant.send("GET", f"/documents/{document_id}/file").headers["location"]
    assert httpx.get(link, trust_env=False, timeout=PATIENCE).content == highlight.report()
    semantic = {"profile": "semantic", "breakpoint_percentile": 98}
    cut = tenant.ingest(STORY, filename="story.txt", chunking=semantic)
    assert cut["outcome"] == "PUBLISHED"
    assert tenant.ingest(b" \n\n\t ", filename="blank.txt")["outcome"] == "EMPTY"
    assert tenant.ingest(UNSEEN, filename="unseen.txt")["outcome"] == "EMPTY"
    scan = tenant.ingest(
        photographed(prose(["A plan of the lock."])), filename="scan.pdf", content_type=PDF
    )
    assert scan["pages"]["ocr"] == 1
    assert tenant.send("DELETE", f"/documents/{scan['document_id']}").status_code == 202
    broken = tenant.ingest(b"%PDF-1.7\nand no more", filename="b.pdf", content_type=PDF)
    assert broken["outcome"] == "REJECTED"
    del stage


def ranges(stage: Stage, tenant: Tenant) -> None:
    """Upload what is read in ranges."""
    status = tenant.ingest(large.long_pdf(501), filename="manual.pdf", content_type=PDF)
    assert status["outcome"] == "PUBLISHED"
    del stage


def repeated(stage: Stage, tenant: Tenant) -> None:
    """Kill each step once, where what it did is written and nobody knows of it."""
    for function, point in (
        ("claim", "claim.before_marker"),
        ("extract", "extract.after_write"),
        ("store", "store.after_commit"),
        ("clean", "clean.after_commit"),
        ("chunk", "chunk.after_commit"),
        ("embed", "embed.after_write"),
        ("publish", "publish.before_marker"),
    ):
        stage.pool.inject(function, f"{point}:kill:1")
    assert tenant.ingest(STORY, filename="story.txt")["outcome"] == "PUBLISHED"


def unmeasured(tenant: Tenant, model: FakeOpenAIServer) -> None:
    """Let the provider refuse to measure sentences: they are cut without."""
    model.script(failing(401))
    semantic = {"profile": "semantic", "breakpoint_percentile": 98}
    cut = tenant.ingest(STORY, filename="story.txt", chunking=semantic)
    assert cut["outcome"] == "PUBLISHED", cut


def references(stage: Stage, tenant: Tenant) -> None:
    """Send a text under a key, the same again, an object, and one that is not there."""
    key = f"imports/{tenant.tenant_id}/valves.txt"
    stage.aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=b"The valve closes at 7 bar.")
    text = {"text": NOTE.decode(), "source": "gauge.txt"}
    copied = {"s3_uri": f"s3://{BUCKET}/{key}"}
    for name, body in (("a text", text), ("a text", text), ("an object", copied)):
        answer = tenant.send("POST", "/ingest", body, headers={"Idempotency-Key": name})
        assert settled(tenant, answer.json()["document_id"])["outcome"] == "PUBLISHED"
    missing = {"s3_uri": f"s3://{BUCKET}/{key}-missing"}
    refused = tenant.send("POST", "/ingest", missing, headers={"Idempotency-Key": "nothing"})
    assert refused.status_code == 404


def prefixes(stage: Stage, tenant: Tenant) -> None:
    batches.shelve(stage, tenant, dict(list(batches.TEXTS.items())[:3]) | batches.BROKEN)
    batches.ended(tenant, batches.start(tenant))


def questions(stage: Stage, tenant: Tenant) -> None:
    assert tenant.ingest(NOTE, filename="gauge.txt")["outcome"] == "PUBLISHED"
    asked = tenant.post("/ask", {"question": QUESTION})
    tenant.post("/chat", {"question": QUESTION})
    with tenant.http.stream("POST", "/ask/stream", json={"question": QUESTION}) as streamed:
        assert streamed.read()
    assert tenant.get(f"/traces/{asked['trace_id']}")
    assert tenant.send("GET", f"/traces/{uuid4().hex}").status_code == 404
    assert tenant.send("GET", "/health/ready").is_success
    evaluated(stage, tenant)


def evaluated(stage: Stage, tenant: Tenant) -> None:
    """Run an evaluation, and its event once more."""
    labelled = {"question": QUESTION, "expected": [{"source": "gauge.txt"}]}
    body = {"questions": [labelled], "profiles": ["fast"]}
    evaluation_id = tenant.post("/evaluations", body)["evaluation_id"]
    path = f"/evaluations/{evaluation_id}"
    models.until(lambda: tenant.get(path), lambda found: found["state"] == "DONE")
    key = object_keys.evaluation_control_key(tenant.tenant_id, UUID(evaluation_id))
    invoked(stage, "evaluate", {"detail": {"object": {"key": key}}})
    assert tenant.send("GET", f"/evaluations/{uuid4()}").status_code == 404


def changes(stage: Stage, tenant: Tenant) -> None:
    """Cancel, cut anew, delete, verify, and write to what is deleted once more."""
    with sweep.lost_events(stage):
        cancelled = tenant.upload(NOTE, filename="cancelled.txt")
        assert tenant.send("POST", f"/documents/{cancelled}/cancel").is_success
    announced = tenant.register(deletion.BODY, filename="buoys.txt")
    document_id = announced["document_id"]
    assert send_form(announced["upload"], deletion.BODY).is_success
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    recut = {"strategy": "metadata", "document_ids": [document_id], "reprocess_chunks": True}
    tenant.post("/documents/update", recut)
    tenant.outcome(document_id, version=2)
    assert tenant.ingest(STORY, filename="story.txt")["outcome"] == "PUBLISHED"
    assert tenant.post("/ask", {"question": "Who relit the lantern of buoy 3?"})["trace_id"]
    deleted(stage, tenant, announced)
    invoked(stage, "claim", sample("claim"))


def deleted(stage: Stage, tenant: Tenant, announced: Json) -> None:
    document_id = announced["document_id"]
    receipt = tenant.send("DELETE", f"/documents/{document_id}").json()["receipt_id"]
    path = f"/deletions/{receipt}"
    found = deletion.until(tenant, path, lambda each: each["completed_at"] is not None)
    tenant.post(f"{path}/verify", {"shingles": ["1 2 3 4 5 6 7 8"]})
    assert send_form(announced["upload"], deletion.BODY).is_success  # signed before
    more = found["before"]["objects"]
    deletion.until(tenant, path, lambda each: each["before"]["objects"] > more)
    key = object_keys.upload_key(tenant.tenant_id, UUID(document_id))
    ended: Any = {"detail": {"object": {"key": key}}}
    detail = {"executionArn": "an-execution", "status": "ABORTED", "input": json.dumps(ended)}
    invoked(stage, "fail", {"detail": detail})


def sources_forgotten(stage: Stage, tenant: Tenant) -> None:
    """Delete what /ingest brought, with its records and its source."""
    sent = tenant.send("POST", "/ingest", {"text": "Ebb tide.", "source": "tide.txt"})
    document_id = sent.json()["document_id"]
    settled(tenant, document_id)
    receipt = tenant.send("DELETE", f"/documents/{document_id}").json()["receipt_id"]
    path = f"/deletions/{receipt}"
    deletion.until(tenant, path, lambda each: each["completed_at"] is not None)
    del stage


def many_deletions(stage: Stage, tenant: Tenant) -> None:
    """Delete more than one purge takes: it asks for another."""
    names = ("first.txt", "second.txt", "third.txt")
    registered = [tenant.register(NOTE, filename=name)["document_id"] for name in names]
    with impatient(stage, "purge"):
        body = {"strategy": "delete", "document_ids": registered}
        for receipt in tenant.post("/documents/update", body)["receipt_ids"]:
            path = f"/deletions/{receipt}"
            deletion.until(tenant, path, lambda each: each["completed_at"] is not None)


def bytes_after_deletion(stage: Stage, tenant: Tenant) -> None:
    """Send bytes with the form of a document that is gone: `claim` asks for another purge."""
    announced = tenant.register(NOTE, filename="late.txt")
    deleted = tenant.send("DELETE", f"/documents/{announced['document_id']}").json()
    path = f"/deletions/{deleted['receipt_id']}"
    receipt = deletion.until(tenant, path, lambda each: each["completed_at"] is not None)
    assert send_form(announced["upload"], NOTE).is_success
    objects = receipt["before"]["objects"]
    deletion.until(tenant, path, lambda each: each["before"]["objects"] > objects)
    del stage


def replaced(stage: Stage, tenant: Tenant) -> None:
    """Use a form twice, send known and new bytes, and let what they replaced outlive its time."""
    announced = tenant.register(NOTE, filename="gauge.txt")
    assert send_form(announced["upload"], NOTE).is_success
    document_id = announced["document_id"]
    assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    assert send_form(announced["upload"], NOTE).is_success
    key = object_keys.upload_key(tenant.tenant_id, UUID(document_id))
    s3 = stage.aws.client("s3")
    models.until(
        lambda: s3.list_object_versions(Bucket=BUCKET, Prefix=key)["Versions"],
        lambda kept: len(kept) == 1,
    )
    for version, body in ((2, NOTE), (3, STORY)):
        sent = tenant.upload(body, filename="gauge.txt", on_duplicate="replace")
        tenant.outcome(sent, version=version)
    options = "-c session_replication_role=replica"  # or a trigger says that now is the time
    with psycopg.connect(stage.database_url, options=options) as connection:
        connection.execute(
            "UPDATE pulsedocs.document_version SET updated_at = updated_at - %s"
            " WHERE tenant_id = %s",
            [timedelta(days=31), tenant.tenant_id],
        )
    assert stage.sweep(full=True)["counts"]["spent_versions"] == 2


def redriven(stage: Stage, tenant: Tenant) -> None:
    sweep.test_a_failed_document_is_redriven_and_published(stage, tenant)


def retried(stage: Stage, tenant: Tenant) -> None:
    with sweep.lost_events(stage):
        document_id = tenant.upload(NOTE)
    sweep.fail(stage, tenant, document_id)
    assert tenant.send("POST", f"/documents/{document_id}/retry").is_success
    sweep.published_after(tenant, document_id)


def models_changed(stage: Stage, tenant: Tenant) -> None:
    """Try another model, fill and promote it; retire the first, and not in one go."""
    models.fill(tenant, dict(list(models.NOTES.items())[:2]))
    old = tenant.get("/collections/default")["model"]
    assert models.register(tenant, NEW_MODEL)["state"] == "READY"
    with impatient(stage, "backfill"):
        tenant.send("POST", models.MIGRATION, {"to_model": NEW_MODEL})
        models.covered(tenant, NEW_MODEL)
    models.fill(tenant, {"later.txt": b"The gangway was painted white."})
    changed = tenant.send("PATCH", "/collections/default", {"chunk_profile": "words"})
    assert changed.is_success
    tenant.send("POST", models.path_of(old, "/backfill"))
    models.until(
        lambda: models.counts(models.coverage(tenant, old)), lambda now: now == (3, 3, 0, 0)
    )
    tenant.post(f"{models.MIGRATION}/promote")
    with impatient(stage, "retire"):
        assert tenant.send("DELETE", models.path_of(old)).status_code == 202
        models.until(lambda: models.listed(tenant, old), lambda row: row is None)


@contextmanager
def impatient(stage: Stage, name: str) -> Generator[None]:
    """Run a function whose time is always up."""
    own = stage.pool._of(name)._function  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- to put it back
    stage.pool.deploy({name: replace(own, handler=f"{TOO_LATE}.{name}")})
    try:
        yield
    finally:
        stage.pool.deploy({name: own})


def swept(stage: Stage, tenant: Tenant) -> None:
    """Find an overdue marker, a deletion nobody began, an end nobody noted, what lies about."""
    sweep.test_an_upload_whose_event_is_lost_is_found(stage, tenant, full=False)
    published = tenant.ingest(NOTE + b" Twice.", filename="twice.txt")["document_id"]
    s3 = stage.aws.client("s3")
    left = f"staging/{tenant.tenant_id}/{uuid4()}/1/pages-1-1.jsonl"
    marker = object_keys.open_marker_key(tenant.tenant_id, UUID(published))
    for key in (left, marker):
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"{}")
        age(key, timedelta(days=20))
    with unheard(stage, "purge"):
        unpurged = tenant.ingest(NOTE + b" Gone.", filename="gone.txt")["document_id"]
        receipt = tenant.send("DELETE", f"/documents/{unpurged}").json()["receipt_id"]
    sweep.age(stage, tenant)
    with psycopg.connect(stage.database_url) as connection:
        connection.execute(
            "UPDATE pulsedocs.deletion_receipt SET requested_at = requested_at - %s"
            " WHERE tenant_id = %s",
            [sweep.LATE, tenant.tenant_id],
        )
    stage.sweep(full=True)
    path = f"/deletions/{receipt}"
    deletion.until(tenant, path, lambda each: each["completed_at"] is not None)


def age(name: str, by: timedelta) -> None:
    key: Any = s3_backends[ACCOUNT]["aws"].buckets[BUCKET].keys[name]
    key.last_modified -= by


@contextmanager
def unheard(stage: Stage, rule: str) -> Generator[None]:
    """Let what would start a function happen without anybody noticing."""
    events = stage.aws.client("events")
    events.disable_rule(Name=rule)
    try:
        yield
    finally:
        events.enable_rule(Name=rule)


PARTS: Final[tuple[Callable[[Stage, Tenant], None], ...]] = (
    uploads,
    ranges,
    repeated,
    references,
    prefixes,
    questions,
    changes,
    sources_forgotten,
    many_deletions,
    bytes_after_deletion,
    replaced,
    redriven,
    retried,
    models_changed,
    swept,
)


def invoked(stage: Stage, function: str, event: Json) -> None:
    invocation = stage.pool.invoke(function, json.dumps(event).encode())
    assert invocation.function_error is None, invocation.payload
