"""An upload is answered before anything is processed, and what is read is always whole."""

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psycopg
import pytest

from local.stage import Stage
from tests.e2e.tenant import Json, Tenant, send_form
from tests.e2e.test_sweep import lost_events
from tests.integration.invariants import violations
from tests.patience import PATIENCE

PUMP: Final = b"The pump delivers 12 litres a minute. It is mounted near the tank."
STATIONS: Final = 12
LATER: Final = b"The pump delivers 15 litres a minute. It is mounted near the tank."


UPLOADS: Final = 200
"""At once, through HTTP. They took a minute of two busy cores; a thousand would show the same."""


def test_an_upload_is_answered_while_the_pipeline_stands_still(
    stage: Stage, tenant: Tenant
) -> None:
    """S0-01: metadata and UPLOADED; the bytes are kept, and nothing is processed."""
    with lost_events(stage):
        registered = tenant.register(PUMP, title="Pump", metadata={"site": "north"})
        response = send_form(registered["upload"], PUMP)
        status = tenant.status(registered["document_id"])
        file = stage.aws.client("s3").get_object(
            Bucket="pulsedocs-local", Key=f"u/{tenant.tenant_id}/{registered['document_id']}"
        )

    assert registered["state"] == status["state"] == "UPLOADED"
    assert response.is_success
    assert status["outcome"] is None
    assert (status["title"], status["metadata"]) == (
        "Pump",
        {"site": "north", "source_type": "file"},
    )
    assert [entry["state"] for entry in status["history"]] == ["UPLOADED"]
    assert file["Body"].read() == PUMP


def test_uploads_at_once_each_have_one_row_and_their_bytes(stage: Stage, tenant: Tenant) -> None:
    """S0-02: from 16 callers, every file sent; nothing is lost, doubled or mixed up."""
    bodies = {f"{number}.txt": f"Reading {number}.".encode() * 20 for number in range(UPLOADS)}

    def send(name: str) -> str:
        return tenant.upload(bodies[name], filename=name)

    with lost_events(stage), ThreadPoolExecutor(16) as callers:
        ids = dict(zip(bodies, callers.map(send, bodies), strict=True))
    s3 = stage.aws.client("s3")
    with psycopg.connect(stage.database_url) as connection:
        rows = connection.execute(
            "SELECT source, document_id::text, version FROM pulsedocs.document"
            " JOIN pulsedocs.document_version USING (tenant_id, document_id) WHERE tenant_id = %s",
            [tenant.tenant_id],
        ).fetchall()

    assert sorted(rows) == sorted((name, ids[name], 1) for name in bodies)
    kept = {
        name: s3.get_object(Bucket="pulsedocs-local", Key=f"u/{tenant.tenant_id}/{ids[name]}")
        for name in bodies
    }
    assert {name: stored["Body"].read() for name, stored in kept.items()} == bodies


def test_the_same_bytes_are_refused_where_that_was_asked(tenant: Tenant) -> None:
    """S4-06 reject."""
    tenant.ingest(PUMP, filename="one.txt")

    status = tenant.ingest(PUMP, filename="two.txt", on_duplicate="reject")

    assert status["outcome"] == "REJECTED"
    assert status["error"]["code"] == "DUPLICATE_REJECTED"


@pytest.mark.parametrize("on_duplicate", ["skip", "replace"])
def test_new_bytes_under_the_same_name_make_a_new_version(
    tenant: Tenant, on_duplicate: str
) -> None:
    """S2-07, S4-06 replace: no chunk of the old version can be reached."""
    first = tenant.ingest(PUMP, filename="pump.txt")
    before = tenant.get(f"/documents/{first['document_id']}/chunks")["chunks"]

    document_id = tenant.upload(LATER, filename="pump.txt", on_duplicate=on_duplicate)
    second = tenant.outcome(document_id, version=2)
    after = tenant.get(f"/documents/{document_id}/chunks")["chunks"]

    assert document_id == first["document_id"]
    assert (second["version"], second["published_version"]) == (2, 2)
    assert {chunk["chunk_id"] for chunk in before}.isdisjoint(chunk["chunk_id"] for chunk in after)
    answer = tenant.post("/ask", {"question": "How many litres does the pump deliver a minute?"})
    assert "15 litres" in answer["answer"]
    assert "12 litres" not in str(tenant.post("/search", {"query": "litres pump 12"})["chunks"])


def test_new_bytes_are_refused_where_that_was_asked(tenant: Tenant) -> None:
    """S4-06 reject: 409 by name, before the bytes travel."""
    tenant.ingest(PUMP, filename="pump.txt")

    response = tenant.send(
        "POST",
        "/documents",
        {
            "filename": "pump.txt",
            "content_type": "text/plain",
            "size": len(LATER),
            "on_duplicate": "reject",
        },
    )

    assert response.status_code == 409
    assert response.json()["code"] == "DUPLICATE_DOCUMENT"


def test_a_held_document_is_ready_and_not_found(tenant: Tenant) -> None:
    """It has its chunks and vectors, no outcome, and no question meets it."""
    published = tenant.ingest(PUMP, filename="pump.txt")
    held = tenant.upload(b"The pump delivers 99 litres a minute.", filename="held.txt", hold=True)
    deadline = time.monotonic() + PATIENCE
    while (status := tenant.status(held))["state"] != "EMBEDDED":
        assert time.monotonic() < deadline, status
        time.sleep(0.05)

    assert (status["outcome"], status["published_version"]) == (None, None)
    assert status["chunks"] == sum(status["embeddings"].values()) == 1
    assert found(tenant) == {published["document_id"]}


def found(tenant: Tenant) -> set[str]:
    query = {"query": "How many litres does the pump deliver a minute?"}
    return {chunk["document_id"] for chunk in tenant.post("/search", query)["chunks"]}


def test_a_reader_never_sees_a_partial_document(
    stage: Stage, new_tenant: Callable[..., Tenant]
) -> None:
    """S4-05: while versions replace each other, every answer is one version, whole."""
    writer = new_tenant()
    writer.outcome(upload_edition(writer, 0))
    watcher = Watcher(new_tenant(writer.tenant_id))
    with watcher:
        for number in range(1, 4):
            status = writer.outcome(upload_edition(writer, number), version=number + 1)
            assert status["outcome"] == "PUBLISHED"

    assert len(watcher.listed) > 10
    assert all(len(set(editions)) == 1 for editions in watcher.listed + watcher.found)
    assert {len(editions) for editions in watcher.listed} == {STATIONS}
    assert {editions[0] for editions in watcher.listed} == set("0123")
    assert watcher.listed[-1][0] == "3"
    with psycopg.connect(stage.database_url, options="-c search_path=pulsedocs,public") as admin:
        assert violations(admin, writer.tenant_id) == []


def upload_edition(tenant: Tenant, number: int) -> str:
    """Upload a text of `STATIONS` chunks, each of which names its edition."""
    text = "\n\n".join(f"Edition{number} {'open ' * 8}." for _ in range(STATIONS))
    chunking = {"profile": "words", "words": 10, "overlap_words": 0}
    return tenant.upload(text.encode(), filename="log.txt", chunking=chunking)


class Watcher:
    """Reads in a loop beside the test; keeps the edition of every chunk of every answer."""

    def __init__(self, reader: Tenant) -> None:
        self.listed: list[list[str]] = []
        self.found: list[list[str]] = []
        self._reader = reader
        self._has_begun = threading.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._has_begun.wait(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        [document] = self._reader.get("/documents")["documents"]
        is_over = False
        while not is_over:
            is_over = self._is_over.is_set()  # once more after the end
            chunks = self._reader.get(f"/documents/{document['document_id']}/chunks")
            found = self._reader.post("/search", {"query": "open", "profile": "fast"})
            self.listed.append(editions_in(chunks))
            self.found.append(editions_in(found))
            self._has_begun.set()


def editions_in(answer: Json) -> list[str]:
    return re.findall(r"Edition(\d)", " ".join(chunk["content"] for chunk in answer["chunks"]))
