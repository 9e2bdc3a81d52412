"""A scan whose words a service outside of the stage recognises: from upload to where they stand."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs.adapters.aws.textract import Textract
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.sandbox import SandboxedBoxReader, SandboxedExtractor
from pulsedocs.ingestion.pictures_read import PicturesRead
from pulsedocs.model.highlights import StoredPage, place_of
from pulsedocs.questions.pictures_read import PictureBoxes
from tests.contract.textract_server import textract_server
from tests.integration.ingestion.pipeline import PUBLISHED, Pipeline
from tests.unit.extraction.scans import photographed, prose

PDF: Final = "application/pdf"
LINES: Final = (
    "The ferry to Holm Island leaves the north pier at a quarter past seven.",
    "A ticket for a bicycle costs four pounds and is sold on board only.",
)


def test_words_that_textract_recognises_are_stored_chunked_and_have_their_place(
    ingestion_store: PostgresIngestionStore,
    catalogue: PostgresDocumentCatalogue,
    connect_as: Callable[[str], Connection[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    tenant, document, body = uuid4(), UUID(int=9), photographed(prose(LINES))
    with textract_server() as server:
        boxes = PictureBoxes(
            SandboxedBoxReader(), Textract(region="eu-west-1", endpoint_url=server.url)
        )
        pipeline = Pipeline(
            ingestion_store, catalogue, extractor=PicturesRead(SandboxedExtractor(), boxes)
        )

        event = pipeline.upload(tenant, document, body, filename="a.pdf", content_type=PDF)
        assert pipeline.deliver(event) == PUBLISHED

        rows = connect_as("admin")
        outcome, parser, raw, text = rows.execute(
            "SELECT outcome, parser, raw_text, cleaned_text FROM document_page"
            " WHERE tenant_id = %s",
            [tenant],
        ).fetchone() or ("", "", "", "")
        [(chunk,)] = rows.execute(
            "SELECT text FROM document_chunk WHERE tenant_id = %s", [tenant]
        ).fetchall()
        stored = StoredPage("1", PDF, parser, raw, text or raw, None)
        start = stored.raw_text.index("bicycle")
        place = place_of(tenant, document, 1, stored, start=start, end=start + len("bicycle"))
        [box] = boxes.boxes(body, place).boxes

    assert (outcome, parser.split()[0]) == ("OCR", "textract")
    assert chunk.split() == " ".join(LINES).split()
    assert 72 < box[0] < box[2] < 540
    assert server.calls == 2
