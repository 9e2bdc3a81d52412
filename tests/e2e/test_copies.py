"""A copy is a document of its own, one form stores one object; with the models of a new stage."""

import base64
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import httpx
import pytest
from psycopg import Connection

from local.stage import Stage
from tests.e2e.tenant import Json, Tenant, send_form
from tests.integration.invariants import violations

LEASE: Final = (
    b"The tenant of the boat house pays the harbour office on the third of each month."
    b"\n\nWho moors a second boat asks the harbour master for a berth by letter."
)
OTHER: Final = b"The crane on the east quay lifts nine tonnes. It is tested every spring."
QUESTION: Final = "When does the tenant of the boat house pay?"


def found(tenant: Tenant, **asked: Any) -> set[str]:
    answer = tenant.post("/search", {"query": QUESTION, **asked})
    return {chunk["document_id"] for chunk in answer["chunks"]}


def tokens(tenant: Tenant) -> int:
    """Count what was bought to embed passages."""
    rows = tenant.get("/usage", by="method")["spent"]
    return sum(row["input_tokens"] for row in rows if "embed" in row.values())


def wait_for_deletion(tenant: Tenant, receipt: str) -> Json:
    deadline = time.monotonic() + 120
    while (said := tenant.get(f"/deletions/{receipt}"))["completed_at"] is None:
        assert time.monotonic() < deadline, said
        time.sleep(0.2)
    return said


def send_at_once(forms: list[Json]) -> None:
    with ThreadPoolExecutor(len(forms)) as threads:
        list(threads.map(send_form, [form["upload"] for form in forms], [LEASE] * len(forms)))


def two_copies(tenant: Tenant) -> tuple[Json, Json]:
    """Two people's uploads of one file; the second says its checksum first, and has a title."""
    first = tenant.ingest(LEASE, filename="lease.txt", metadata={"user_id": "anna"})
    second = tenant.ingest(
        LEASE,
        filename="boats.txt",
        metadata={"user_id": "bert"},
        title="Boat house",
        sha256=hashlib.sha256(LEASE).hexdigest(),
    )
    return first, second


def test_a_copy_has_its_own_name_metadata_and_collection_for_nothing(
    tenant: Tenant, new_tenant: Any
) -> None:
    """S2-07, T-01, S3-22: filters find the copy they name, and no vector is bought again."""
    alone = new_tenant()
    alone.ingest(LEASE, filename="lease.txt")

    first, second = two_copies(tenant)
    third = tenant.ingest(LEASE, filename="lease.txt", collection="archive")

    assert [each["outcome"] for each in (first, second, third)] == ["PUBLISHED"] * 3
    assert second["duplicate_of"] == first["document_id"]
    assert (second["title"], second["source"]) == ("Boat house", "boats.txt")
    assert second["chunks"] == first["chunks"] > 0
    for user, copy in (("anna", first), ("bert", second)):
        assert found(tenant, filters={"user_id": user}) == {copy["document_id"]}
    assert found(tenant, collection="archive") == {third["document_id"]}
    assert len(found(tenant)) == 1  # equal texts are shown once
    assert tokens(tenant) == tokens(alone) > 0


@pytest.mark.parametrize("user", ["anna", "bert"])
def test_deleting_one_copy_leaves_the_other(
    tenant: Tenant, admin: Connection[Any], user: str
) -> None:
    """T-01, S3-14: the receipt is of one document; the other has its bytes, text and answers."""
    gone, kept = two_copies(tenant)
    if user == "bert":
        gone, kept = kept, gone

    done = tenant.post("/documents/update", {"strategy": "delete", "filters": {"user_id": user}})
    assert done["updated_document_ids"] == [gone["document_id"]]
    receipt = admin.execute(
        "SELECT receipt_id FROM deletion_receipt WHERE document_id = %s", [gone["document_id"]]
    ).fetchall()[0][0]
    proof = wait_for_deletion(tenant, str(receipt))

    assert proof["verification"]["left"] == 0
    assert found(tenant) == {kept["document_id"]}
    link = tenant.send(
        "GET", f"/documents/{kept['document_id']}/file", headers={"Accept": "application/json"}
    ).json()["url"]
    assert httpx.get(link, trust_env=False).content == LEASE
    answer = tenant.post("/ask", {"question": QUESTION})
    assert "third of each month" in answer["answer"]
    assert violations(admin, tenant.tenant_id) == []


def test_new_bytes_for_one_copy_leave_the_other(tenant: Tenant) -> None:
    """T-01: also where a third copy was sent to replace."""
    first, second = two_copies(tenant)
    third = tenant.ingest(LEASE, filename="third.txt", on_duplicate="replace")

    tenant.outcome(tenant.upload(OTHER, filename="lease.txt", on_duplicate="replace"), version=2)

    ids = [each["document_id"] for each in (first, second, third)]
    assert [found(tenant, document_ids=[each]) == {each} for each in ids[1:]] == [True, True]
    assert "crane" in tenant.get(f"/documents/{ids[0]}/pages/1")["text"]
    assert tenant.status(ids[1])["outcome"] == "PUBLISHED"


def test_three_copies_at_once_are_bought_once(tenant: Tenant, new_tenant: Any) -> None:
    """T-01: under three names and in two collections, by three callers."""
    alone = new_tenant()
    alone.ingest(LEASE, filename="lease.txt")
    places = [("one.txt", "default"), ("two.txt", "default"), ("three.txt", "archive")]
    forms = [
        tenant.register(LEASE, filename=name, collection=collection) for name, collection in places
    ]

    send_at_once(forms)
    ended = [tenant.outcome(form["document_id"]) for form in forms]

    assert [each["outcome"] for each in ended] == ["PUBLISHED"] * 3
    assert tokens(tenant) == tokens(alone) > 0


def test_the_same_bytes_of_another_type_are_read_again(tenant: Tenant) -> None:
    """Who first said that a page was plain text cites its tags else."""
    page = b"<h1>Fees</h1><p>The mooring fee is nine euros a day.</p>"
    first = tenant.ingest(page, filename="fees")
    announced = {"filename": "fees", "content_type": "text/html"}

    again = tenant.ingest(page, **announced, sha256=hashlib.sha256(page).hexdigest())

    assert (again["document_id"], again["outcome"]) == (first["document_id"], "PUBLISHED")
    [chunk] = tenant.post("/search", {"query": "the mooring fee"})["chunks"]
    assert "<" not in chunk["content"]
    assert tenant.register(page, **announced, sha256=again["sha256"])["duplicate_of"] is not None


def test_a_name_is_one_source_however_a_system_writes_its_accents(tenant: Tenant) -> None:
    """A Mac writes "\u00e9" as two characters."""
    first = tenant.ingest(LEASE, filename="caf\u00e9.txt")

    second = tenant.ingest(OTHER, filename="cafe\u0301.txt")

    assert (second["document_id"], second["version"]) == (first["document_id"], 2)
    for name in ("caf\u00e9.txt", "cafe\u0301.txt"):
        asked = {"query": "the crane", "filters": {"source": name}}
        assert tenant.post("/search", asked)["chunks"]


def test_reject_answers_409_to_both_kinds_of_copy(tenant: Tenant) -> None:
    """S4-06 reject: by the announced checksum, and by the name."""
    tenant.ingest(LEASE, filename="lease.txt")
    announced = {"content_type": "text/plain", "size": len(LEASE), "on_duplicate": "reject"}
    digest = hashlib.sha256(LEASE).hexdigest()

    for named in ({"filename": "copy.txt", "sha256": digest}, {"filename": "lease.txt"}):
        assert tenant.send("POST", "/documents", announced | named).status_code == 409


# --------------------------------------------------------------------------- forms and their bytes


def test_one_form_used_three_times_at_once_is_one_run(
    stage: Stage, tenant: Tenant, admin: Connection[Any]
) -> None:
    """T-03, S0-10, P-01: one version, one purchase, one object kept."""
    form = tenant.register(LEASE, filename="lease.txt")
    send_at_once([form] * 3)
    tenant.outcome(form["document_id"])
    key = f"u/{tenant.tenant_id}/{form['document_id']}"

    def objects() -> list[Any]:
        listed = stage.aws.client("s3").list_object_versions(Bucket="pulsedocs-local", Prefix=key)
        return listed.get("Versions", [])

    deadline = time.monotonic() + 120
    while len(objects()) > 1:
        assert time.monotonic() < deadline, objects()
        time.sleep(0.2)

    status = tenant.status(form["document_id"])
    assert (status["version"], status["outcome"]) == (1, "PUBLISHED")
    runs = admin.execute(
        "SELECT fence FROM document_version WHERE document_id = %s", [form["document_id"]]
    ).fetchall()
    assert runs == [(1,)]
    assert violations(admin, tenant.tenant_id) == []


def test_a_form_takes_the_announced_bytes_alone(tenant: Tenant) -> None:
    """T-03: others are refused by storage, whatever their checksum field says."""
    digest = hashlib.sha256(LEASE).hexdigest()
    form = tenant.register(LEASE, filename="lease.txt", sha256=digest)["upload"]
    forged = base64.b64encode(hashlib.sha256(LEASE.upper()).digest()).decode()

    for body in (LEASE + b" ", LEASE[:-1], LEASE.upper()):
        assert send_form(form, body).status_code in {400, 403}
    answer = send_form(form, LEASE.upper(), **{"x-amz-checksum-sha256": forged})
    assert answer.status_code in {400, 403}
    assert send_form(form, LEASE).is_success


def test_other_bytes_of_the_same_size_do_not_replace_what_a_form_published(tenant: Tenant) -> None:
    """T-03: without a checksum storage cannot tell; the claim does."""
    form = tenant.register(LEASE, filename="lease.txt")
    send_form(form["upload"], LEASE)
    tenant.outcome(form["document_id"])

    assert send_form(form["upload"], LEASE.swapcase()).is_success
    later = tenant.ingest(OTHER, filename="later.txt")

    assert later["outcome"] == "PUBLISHED"
    assert tenant.status(form["document_id"])["version"] == 1
    text = tenant.get(f"/documents/{form['document_id']}/pages/1")["text"]
    assert "harbour office" in text
