"""A page that kills its reader is missing from the document; the status says which and why."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.sandbox import SandboxedExtractor
from pulsedocs.extraction import PDF, Budgets
from pulsedocs.model.documents import PageFailure
from tests.hostile.bombs import poisoned
from tests.integration.ingestion.pipeline import PUBLISHED, Pipeline
from tests.integration.invariants import violations

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
BUDGETS = replace(Budgets(), page_cpu_seconds=1)  # the page needs minutes


def test_a_poisoned_page_in_the_middle_costs_that_page_and_is_named(
    ingestion_store: PostgresIngestionStore,
    catalogue: PostgresDocumentCatalogue,
    connect_as: Callable[[str], Connection[Any]],
) -> None:
    """S3-06, K08: the other nine are published, the failed one has its number and code."""
    pipeline, tenant = (
        Pipeline(ingestion_store, catalogue, extractor=SandboxedExtractor(BUDGETS)),
        uuid4(),
    )

    outcome = pipeline.deliver(
        pipeline.upload(tenant, DOCUMENT, poisoned(5), filename="ten.pdf", content_type=PDF)
    )

    status = catalogue.status(tenant, DOCUMENT)
    assert outcome == PUBLISHED
    assert (status.pages.total, status.pages.text, status.pages.failed) == (10, 9, 1)
    assert status.pages.failures == (PageFailure(5, "RESOURCE_EXHAUSTED"),)
    assert violations(connect_as("admin"), tenant) == []
