"""A deletion on a whole stage: the event starts the purge, and late bytes start it again."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.stage import BUCKET, Stage
from pulsedocs.client import PulseDocs
from pulsedocs.client.deletions import LeftBehind, verify_deletion
from tests.e2e.tenant import PDF, Tenant, send_form
from tests.unit.extraction.pasted import picture_of, report
from tests.unit.extraction.scans import photographed, prose

BODY = "\n\n".join(
    f"Entry {number}. The lantern of buoy {number} was relit by the crew of the tender at dusk."
    for number in range(1, 9)
).encode()


def until(tenant: Tenant, path: str, is_so: Callable[[Any], bool]) -> Any:
    found, deadline = None, time.monotonic() + tenant.patience_seconds
    while time.monotonic() < deadline:
        found = tenant.get(path)
        if is_so(found):
            return found
        time.sleep(0.1)
    pytest.fail(f"{path} never came to be as expected: {found}")


def versions_left(stage: Stage, document_id: str) -> list[str]:
    # Of all pages: other tests put more than 1,000 objects there, the most that one names.
    pages = stage.aws.client("s3").get_paginator("list_object_versions").paginate(Bucket=BUCKET)
    return [
        item["Key"]
        for page in pages
        for kind in ("Versions", "DeleteMarkers")
        for item in page.get(kind, [])
        if document_id in item["Key"]
    ]


SCANNED = (
    "The harbour light was made in Lyon and is turned by a clockwork of brass.",
    "Its keeper winds the clockwork by hand every four hours of the night.",
)


def test_words_of_a_scan_are_kept_for_other_documents_and_deleted_with_each(
    stage: Stage, tenant: Tenant
) -> None:
    """What was recognised once serves a later file with the same page; neither outlives its own."""
    first = tenant.ingest(photographed(prose(SCANNED)), filename="a.pdf", content_type=PDF)
    kept = versions_left(stage, f"recognised/{tenant.tenant_id}")
    other = photographed(prose(("The plan of the tower.",)), prose(SCANNED))
    second = tenant.ingest(other, filename="b.pdf", content_type=PDF)
    both = versions_left(stage, f"recognised/{tenant.tenant_id}")

    deleted = tenant.send("DELETE", f"/documents/{first['document_id']}").json()["receipt_id"]
    receipt = until(tenant, f"/deletions/{deleted}", lambda found: found["completed_at"])
    answer = tenant.post("/ask", {"question": "Where was the harbour light made?"})

    words = Counter(key.rpartition("/")[2].removesuffix(".jsonl") for key in both)
    assert len(kept) == 2  # the words, and the note that leads to them
    # The second page of the second file: the words twice, and still one note.
    assert sorted(words.values()) == [2, 3]
    assert receipt["verification"]["left"] == 0
    assert first["document_id"] not in " ".join(
        key for key in versions_left(stage, f"recognised/{tenant.tenant_id}")
    )
    [citation] = answer["citations"]
    assert (citation["document_id"], citation["page"]) == (second["document_id"], 2)
    assert citation["quote"].replace("\n", " ") == SCANNED[0]

    deleted = tenant.send("DELETE", f"/documents/{second['document_id']}").json()["receipt_id"]
    receipt = until(tenant, f"/deletions/{deleted}", lambda found: found["completed_at"])

    assert receipt["verification"]["left"] == 0
    left = versions_left(stage, f"recognised/{tenant.tenant_id}")
    assert not [key for key in left if second["document_id"] in key]
    assert len(left) == 0


def test_words_of_a_picture_beside_text_go_with_their_document(
    stage: Stage, tenant: Tenant
) -> None:
    status = tenant.ingest(report(picture_of(SCANNED)), filename="report.pdf", content_type=PDF)
    kept = versions_left(stage, f"recognised/{tenant.tenant_id}")

    deleted = tenant.send("DELETE", f"/documents/{status['document_id']}").json()["receipt_id"]
    receipt = until(tenant, f"/deletions/{deleted}", lambda found: found["completed_at"])

    assert len(kept) == 2
    assert receipt["verification"]["left"] == 0
    assert not versions_left(stage, f"recognised/{tenant.tenant_id}")


def test_a_deletion_is_purged_proved_and_final(
    stage: Stage, tenant: Tenant, tmp_path: Path
) -> None:
    """I8, K18: 404 at once, a complete receipt, no object; the old form brings nothing back."""
    announced = tenant.register(BODY, filename="buoys.txt")
    path = f"/documents/{announced['document_id']}"
    assert send_form(announced["upload"], BODY).is_success
    assert tenant.outcome(announced["document_id"])["outcome"] == "PUBLISHED"

    receipt_id = tenant.send("DELETE", path).json()["receipt_id"]

    assert tenant.send("GET", path).status_code == 404
    assert tenant.post("/search", {"query": "lantern of the buoy"})["chunks"] == []
    receipt_path = f"/deletions/{receipt_id}"
    receipt = until(tenant, receipt_path, lambda found: found["completed_at"] is not None)
    assert receipt["verification"]["left"] == 0
    assert send_form(announced["upload"], BODY).is_success
    until(
        tenant,
        receipt_path,
        lambda found: found["before"]["objects"] > receipt["before"]["objects"],
    )
    left = versions_left(stage, announced["document_id"])
    # Its ids, for the day on which an older database is restored; no word of the document.
    assert {key.partition("/")[0] for key in left} == {"deleted"}
    assert tenant.send("GET", path).status_code == 404

    copy = tmp_path / "copy.txt"
    copy.write_bytes(BODY)
    with PulseDocs(stage.url, tenant.token, trust_env=False) as client:
        assert '"left": 0' in verify_deletion(client, receipt=receipt_id, file=copy)
        copy.write_bytes(b"too short")
        with pytest.raises(LeftBehind, match="no eight words"):
            verify_deletion(client, receipt=receipt_id, file=copy)
