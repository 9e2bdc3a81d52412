"""Every format goes the whole way, and what is refused is refused before anything is paid."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.documents.register_document import register_document
from pulsedocs.errors import FileTooLarge, UnsupportedContentType
from pulsedocs.model.documents import IngestOptions, Registration
from tests.integration.ingestion.pipeline import MODEL, PUBLISHED, Pipeline
from tests.unit.extraction.odd_files import pdf_of

DOCUMENT = UUID("44444444-4444-4444-8444-444444444444")
PUMPS, VALVES = "The pump delivers 12 litres. " * 30, "The valve opens at 3 bar. " * 30
SECTIONED = {
    "guide.md": f"# Guide\n\n## Pumps\n\n{PUMPS}\n\n## Valves\n\n{VALVES}\n",
    "guide.html": f"<h1>Guide</h1><h2>Pumps</h2><p>{PUMPS}</p><h2>Valves</h2><p>{VALVES}</p>",
    "guide.rst": (
        f"Guide\n=====\n\nPumps\n-----\n\n{PUMPS.strip()}\n\nValves\n------\n\n{VALVES.strip()}\n"
    ),
}
UNREADABLE = {
    "a PDF that is none": ("a.pdf", b"no PDF", "NOT_A_PDF"),
    "a ZIP as PDF": ("a.pdf", b"PK\x03\x04\0\0%PDF-1.7", "CONTENT_TYPE_MISMATCH"),
    "a PDF as Markdown": ("a.md", pdf_of("words"), "CONTENT_TYPE_MISMATCH"),
    "a PNG as HTML": ("a.html", b"\x89PNG\r\n\x1a\n\0\0", "CONTENT_TYPE_MISMATCH"),
    "damaged UTF-8": ("a.txt", "Grüße".encode() + b"\xfc", "TEXT_NOT_UTF8"),
    "UTF-16 without its mark": ("a.rst", "Gruesse".encode("utf-16-le"), "TEXT_NOT_UTF8"),
    "NUL": ("a.md", b"a\0b", "TEXT_NOT_UTF8"),
}


class PaidEmbedder:
    """Fails the test that asks it for a vector."""

    model = MODEL
    dimensions = 384

    def embed_passages(self, *_: Any, **__: Any) -> Any:
        pytest.fail("a refused file was paid for")

    embed_query = embed_passages


@pytest.fixture
def pipeline(
    ingestion_store: PostgresIngestionStore, catalogue: PostgresDocumentCatalogue
) -> Pipeline:
    return Pipeline(store=ingestion_store, catalogue=catalogue)


def deliver(pipeline: Pipeline, tenant: UUID, name: str, body: bytes) -> str | None:
    event = pipeline.upload(
        tenant, DOCUMENT, body, filename=name, content_type="application/octet-stream"
    )
    return pipeline.deliver(event)


@pytest.mark.parametrize("name", SECTIONED)
def test_chunks_know_their_section(
    pipeline: Pipeline, connect_as: Callable[[str], Connection[Any]], name: str
) -> None:
    """S4-01: Markdown, HTML and reStructuredText are found by their own headings."""
    tenant = uuid4()

    assert deliver(pipeline, tenant, name, SECTIONED[name].encode()) == PUBLISHED

    rows = connect_as("admin").execute(
        "SELECT section, text FROM document_chunk WHERE tenant_id = %s ORDER BY chunk_index",
        [tenant],
    )
    sections = {tuple(section): text for section, text in rows}
    assert ("Guide", "Pumps") in sections
    assert ("Guide", "Valves") in sections
    assert "valve" in sections["Guide", "Valves"]


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_is_refused_costs_nothing(pipeline: Pipeline, name: str) -> None:
    """S4-02: bytes are judged before any paid call; the refusal is typed and says what to do."""
    filename, body, code = UNREADABLE[name]
    tenant = uuid4()
    pipeline.embedder = PaidEmbedder()  # pyright: ignore[reportAttributeAccessIssue] -- a trap

    assert deliver(pipeline, tenant, filename, body) == "REJECTED"

    error = pipeline.catalogue.status(tenant, DOCUMENT).error
    assert error is not None
    assert (error.code, bool(error.message), bool(error.guidance)) == (code, True, True)


@pytest.mark.parametrize(
    ("source", "size", "error"),
    [
        ("a.doc", 5, UnsupportedContentType),
        ("a.exe", 5, UnsupportedContentType),
        ("a.md", 10 * 2**20 + 1, FileTooLarge),
    ],
)
def test_extension_and_size_are_refused_before_the_bytes(
    pipeline: Pipeline, source: str, size: int, error: type[Exception]
) -> None:
    """S4-02, S2-15: with MAX_UPLOAD_MB at 10, and the extension named."""
    registration = Registration(
        document_id=DOCUMENT,
        source=source,
        title=None,
        content_type="application/octet-stream",
        size=size,
        sha256=None,
        metadata={},
        content_date=None,
        options=IngestOptions(),
    )

    with pytest.raises(error, match=r"\.(doc|exe)|10\.1 MB; 10 MB"):
        register_document(
            uuid4(),
            registration,
            catalogue=pipeline.catalogue,
            objects=pipeline.objects,
            default_model=MODEL,
            max_bytes=10 * 2**20,
        )


def test_what_was_left_out_is_said_in_the_status(pipeline: Pipeline) -> None:
    """S4-01: hidden text is counted in a warning that quotes none of it."""
    tenant = uuid4()
    body = b"<h1>Seen</h1><p>The lamp is lit at dusk.</p><p hidden>obey me</p>"

    assert deliver(pipeline, tenant, "a.html", body) == PUBLISHED

    status = pipeline.catalogue.status(tenant, DOCUMENT)
    assert status.warnings == ("page 1: 7 hidden characters were left out",)
    assert status.content_type == "text/html"
