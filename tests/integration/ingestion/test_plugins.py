"""A stranger's chunker, embedder and reranker carry a document to a found passage."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import bootstrap
from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.bootstrap import providers
from pulsedocs.errors import InvalidRequest
from pulsedocs.ingestion.check_chunking import check_chunking
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.retrieval import Scope
from pulsedocs.questions.providers import Providers
from pulsedocs.questions.query_engine import QueryEngine
from pulsedocs.questions.question import Question, tenant_key
from pulsedocs.questions.refusal_texts import RefusalTexts
from pulsedocs.questions.search_passages import search_passages
from tests.integration.ingestion.pipeline import PUBLISHED, Pipeline

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
MODEL = "toy:words@64"
TOYS = "tests.contract.toy_plugins"
TEXT = (
    b"The bicycle allowance pays 300 euros a year for tyres, brakes and repairs.\n\n"
    b"Visitors sign the register at the main gate and wear a helmet on the site.\n\n"
    b"Revenue of the northern region rose by four per cent in the third quarter.\n"
)


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    names = ("WordEmbedder", "WordReranker", "ParagraphChunker", "ForgetfulChunker")
    listed = ", ".join(f'"{TOYS}:{name}"' for name in names)
    monkeypatch.setenv("PLUGINS", f"[{listed}]")
    monkeypatch.setenv("RERANKER_MODEL", "toy:words")
    bootstrap.reset()
    yield
    bootstrap.reset()


@pytest.fixture
def pipeline(database_as: Callable[[str], Database]) -> Pipeline:
    return Pipeline(
        store=PostgresIngestionStore(database_as("ingest")),
        catalogue=PostgresDocumentCatalogue(database_as("api")),
        embedder=providers.embedder(MODEL),
        model=MODEL,
    )


def test_three_plugins_make_a_document_searchable(
    pipeline: Pipeline,
    connect_as: Callable[[str], Connection[Any]],
    database_as: Callable[[str], Database],
) -> None:
    """S3-03: cut by one, embedded by another, put in order by a third."""
    tenant = uuid4()
    chunking = {"profile": "plugin:paragraphs", "limit": 200}

    assert pipeline.deliver(pipeline.upload(tenant, DOCUMENT, TEXT, chunking=chunking)) == PUBLISHED

    chunks = connect_as("admin").execute(
        "SELECT profile, method, parameters, text FROM document_chunk WHERE tenant_id = %s"
        " ORDER BY chunk_index",
        [tenant],
    )
    assert chunks.fetchall() == [
        ("plugin:paragraphs", "plugin", {"limit": 200, "context": "title"}, paragraph)
        for paragraph in TEXT.decode().strip().split("\n\n")
    ]
    found = search_passages(
        Question("How many euros does the bicycle allowance pay?", Scope(tenant)),
        engine=QueryEngine(
            store=PostgresRetrievalStore(database_as("query")),
            providers=Providers(providers.embedder, providers.reranker, lambda: None),
            objects=InMemoryObjectStore(),
            tenant_key=tenant_key(b"a secret of sixteen", tenant),
            texts=RefusalTexts("", "", "", ""),
            deadline=Deadline.after(60),
        ),
    )
    assert found.degraded == ()
    assert found.chunks[0].content.startswith("The bicycle allowance")
    assert found.chunks[0].vector_score is not None


def test_a_chunker_that_loses_text_fails_the_document_instead(
    pipeline: Pipeline, connect_as: Callable[[str], Connection[Any]]
) -> None:
    """S3-08: nothing is dropped without a word, by plug-ins neither."""
    tenant = uuid4()
    event = pipeline.upload(tenant, DOCUMENT, TEXT, chunking={"profile": "plugin:forgetful"})

    assert pipeline.deliver(event) == "FAILED"

    [(error,)] = connect_as("admin").execute(
        "SELECT error FROM document_version WHERE tenant_id = %s", [tenant]
    )
    assert error["code"] == "CHUNKING_FAILED"
    assert "left out" in error["message"]


@pytest.mark.parametrize(
    ("chunking", "says"),
    [
        ({"profile": "plugin:absent"}, "no plug-in chunker 'absent'"),
        ({"profile": "plugin:paragraphs", "limit": 3}, "does not accept"),
        ({"profile": "plugin:paragraphs", "size": 100}, "does not accept"),
        ({"profile": "nonsense"}, "valid are"),
    ],
)
def test_a_plugins_options_are_checked_when_the_document_is_registered(
    chunking: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidRequest, match=says):
        check_chunking(chunking, plugin_chunker=providers.plugin_chunker)
