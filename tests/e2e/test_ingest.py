"""A text and an object by reference end published and searchable; loopback is never visited."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from local.stage import BUCKET, Stage
from tests.e2e.tenant import Json, Tenant
from tests.patience import PATIENCE

DOCUMENT = "The pump delivers 12 litres a minute."


def settled(tenant: Tenant, document_id: str) -> Json:
    """Wait until the claim has made the document, then for its outcome."""
    deadline = time.monotonic() + PATIENCE
    while tenant.send("GET", f"/documents/{document_id}").status_code == 404:
        assert time.monotonic() < deadline, "no claim has made the document"
        time.sleep(0.1)
    return tenant.outcome(document_id)


def found_by(tenant: Tenant, query: str) -> set[str]:
    return {chunk["document_id"] for chunk in tenant.post("/search", {"query": query})["chunks"]}


def test_a_text_and_an_object_are_published_and_found(stage: Stage, tenant: Tenant) -> None:
    """S2-01, S4-01."""
    key = f"imports/{tenant.tenant_id}/valves.txt"
    body = b"The valve closes at 7 bar."
    stage.aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)

    text = tenant.send("POST", "/ingest", {"text": DOCUMENT, "source": "pump.txt"})
    copied = tenant.send("POST", "/ingest", {"s3_uri": f"s3://{BUCKET}/{key}"})

    assert (text.status_code, copied.status_code) == (202, 202)
    first, second = (answer.json()["document_id"] for answer in (text, copied))
    assert settled(tenant, first)["outcome"] == "PUBLISHED"
    assert settled(tenant, second)["outcome"] == "PUBLISHED"
    assert first in found_by(tenant, "How many litres does the pump deliver?")
    assert second in found_by(tenant, "At how many bar does the valve close, 7 bar?")


@pytest.mark.parametrize("way", ["one", "many", "collection"])
def test_a_source_sent_again_behind_a_deletion_is_a_new_document(tenant: Tenant, way: str) -> None:
    def send(text: str, **choices: str) -> httpx.Response:
        return tenant.send("POST", "/ingest", {"text": text, "source": "box.txt", **choices})

    old = send("The key box opens with 4417.").json()["document_id"]
    assert settled(tenant, old)["outcome"] == "PUBLISHED"

    deletion: tuple[Any, ...] = {
        "one": ("DELETE", f"/documents/{old}"),
        "many": ("POST", "/documents/update", {"strategy": "delete", "document_ids": [old]}),
        "collection": ("DELETE", "/collections/default?cascade=true"),
    }[way]
    assert tenant.send(*deletion).is_success
    new = send("The key box opens with 9923.").json()["document_id"]
    by_its_old_id = send("The key box opens with 1111.", document_id=old)

    assert settled(tenant, new)["outcome"] == "PUBLISHED"
    assert found_by(tenant, "With what does the key box open?") == {new}
    refused = by_its_old_id.json()
    assert (by_its_old_id.status_code, refused["code"]) == (404, "DOCUMENT_NOT_FOUND")


def test_another_tenants_object_reads_as_missing(
    stage: Stage, new_tenant: Callable[..., Tenant]
) -> None:
    """S2-15."""
    owner, stranger = new_tenant(), new_tenant()
    key = f"imports/{owner.tenant_id}/secret.txt"
    stage.aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=b"A secret.")

    answers = [
        stranger.send("POST", "/ingest", {"s3_uri": f"s3://{BUCKET}/{key}{end}"})
        for end in ("", "-missing")
    ]

    assert [(each.status_code, each.json()["code"]) for each in answers] == [
        (404, "OBJECT_NOT_FOUND")
    ] * 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "127.1"])
def test_a_page_on_loopback_is_refused(stage: Stage, tenant: Tenant, host: str) -> None:
    """S4-02: the stage itself listens there, and is not asked."""
    port = stage.url.rpartition(":")[2]
    for url in (f"https://{host}/", f"http://{host}/", f"https://{host}:{port}/health"):
        answer: Any = tenant.send("POST", "/ingest", {"url": url})

        assert (answer.status_code, answer.json()["code"]) == (400, "URL_REFUSED")
