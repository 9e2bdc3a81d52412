"""A deletion on a whole stage: the event starts the purge, and late bytes start it again."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.stage import BUCKET, Stage
from pulsedocs.client import PulseDocs
from pulsedocs.client.deletions import LeftBehind, verify_deletion
from tests.e2e.tenant import Tenant, send_form

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
    listed = stage.aws.client("s3").list_object_versions(Bucket=BUCKET)
    return [
        item["Key"]
        for kind in ("Versions", "DeleteMarkers")
        for item in listed.get(kind, [])
        if document_id in item["Key"]
    ]


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
