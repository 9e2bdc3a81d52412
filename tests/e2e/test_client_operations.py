"""What operators do, through the client: batches, models, budgets, and stopping a document."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from local.stage import BUCKET, Stage
from pulsedocs.client import DocumentInput, PulseDocs, RequestRefused
from pulsedocs.scopes import ADMIN, READ, WRITE
from tests.patience import until

OLD: Final = "memory:hashing@384"
NEW: Final = "memory:hashing@128"
NOTES: Final = {
    "kiln.txt": "The kiln is fired on Thursdays by the potter of the village.",
    "loom.txt": "The loom was restrung in April with linen from the mill.",
}


@pytest.fixture
def tenant_id() -> UUID:
    return uuid4()


@pytest.fixture
def docs(stage: Stage, tenant_id: UUID) -> Iterator[PulseDocs]:
    token = stage.token(tenant_id, scopes=(READ, WRITE, ADMIN))
    with PulseDocs(stage.url, token, trust_env=False) as client:
        yield client


def add_notes(docs: PulseDocs) -> None:
    notes = [DocumentInput.text(text, name=name) for name, text in NOTES.items()]
    docs.add_documents(notes).raise_for_errors()


def test_a_prefix_is_ingested_as_a_batch(docs: PulseDocs, stage: Stage, tenant_id: UUID) -> None:
    prefix = f"imports/{tenant_id}/crafts/"
    for name, text in NOTES.items():
        stage.aws.client("s3").put_object(Bucket=BUCKET, Key=prefix + name, Body=text.encode())

    batch_id = docs.add_batch(f"s3://{BUCKET}/{prefix}", collection="crafts")
    ended = until(lambda: docs.batch(batch_id), lambda found: found["state"] == "FINISHED")

    assert str(batch_id) in str(ended)
    sources = {each["source"] for each in docs.documents(collection="crafts")}
    assert sources == {f"s3://{BUCKET}/{prefix}{name}" for name in NOTES}
    assert docs.resume_batch(batch_id)["batch_id"] == str(batch_id)


def test_a_collection_goes_to_another_model_and_back(docs: PulseDocs) -> None:
    add_notes(docs)
    docs.register_model(NEW)
    states = lambda: {each["model"]: each["state"] for each in docs.models()}  # noqa: E731 -- short
    until(states, lambda found: found.get(NEW) == "READY")

    backfill_id = docs.backfill(NEW, collection="default")
    until(lambda: docs.coverage(NEW), lambda found: found["backfills"][0]["state"] == "FINISHED")
    started = docs.migrate("default", to_model=NEW)
    until(lambda: docs.migration("default"), lambda found: not found["coverage"][NEW]["missing"])
    promoted = until(lambda: promotion(docs), lambda found: found is not None)
    searched_by = docs.collection("default")["model"]
    back = docs.roll_back("default")

    assert isinstance(backfill_id, UUID)
    assert started["state"] == "SHADOW"
    assert (promoted["state"], searched_by) == ("PROMOTED", NEW)
    assert (back["state"], back["active_model"]) == ("ROLLED_BACK", OLD)
    assert docs.retrieve("When is the kiln fired?")["chunks"][0]["source"] == "kiln.txt"


def promotion(docs: PulseDocs) -> Any:
    """Promote, or return None while the migration's own backfill runs."""
    try:
        return docs.promote("default")
    except RequestRefused:
        return None


def test_a_budget_is_chosen_shown_and_lifted(docs: PulseDocs) -> None:
    docs.set_budget(tokens=20_000_000, usd=20)
    chosen = docs.usage()["budget"]
    docs.remove_budget()
    lifted = docs.usage()["budget"]

    assert (chosen["source"], lifted["source"]) == ("tenant", "stage")
    assert (chosen["tokens"]["limit"], chosen["usd"]["limit"]) == (20_000_000, 20)
    assert lifted["tokens"]["limit"] != 20_000_000


def test_a_document_beyond_the_budget_waits_and_says_what_to_do(docs: PulseDocs) -> None:
    """S3-23 Nobody waits for tomorrow; once the budget is raised it goes on."""
    docs.set_budget(pages=0)

    sent = docs.add_documents([DocumentInput.text(NOTES["kiln.txt"], name="kiln.txt")])

    [parked] = sent.results
    assert "BUDGET_EXCEEDED" in str(parked.error)
    assert "Raise the tenant's budget" in str(parked.error)
    document_id = parked.document_id
    assert document_id is not None
    docs.remove_budget()
    assert docs.redrive(code="BUDGET_EXCEEDED")["requeued"] == 1
    until(lambda: docs.status(document_id), lambda found: found["outcome"] == "PUBLISHED")


def test_a_document_is_stopped_before_it_is_found(docs: PulseDocs) -> None:
    held = docs.add_documents([DocumentInput.text(NOTES["kiln.txt"], name="kiln.txt")], hold=True)
    [document_id] = held.documents

    docs.cancel(UUID(str(document_id)))

    stopped = until(lambda: docs.status(UUID(str(document_id))), lambda found: found["outcome"])
    assert stopped["outcome"] == "CANCELLED"
    assert docs.retrieve("When is the kiln fired?")["chunks"] == []
