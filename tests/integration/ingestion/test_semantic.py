"""A semantic document is measured in batches, paid for once, and cut even where that fails."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue
from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore
from pulsedocs.errors import InvalidRequest, ProviderRefused, PulseDocsError
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from tests.integration.digest import version_digest
from tests.integration.ingestion.pipeline import PUBLISHED, Crash, Pipeline

DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")
SUBJECTS = (
    "Pump number {} needs clean water before the first run of the day, or its seals run dry.",
    "Revenue of the region rose by {} per cent in the quarter, more than the year before.",
)
TEXT = " ".join(subject.format(number) for subject in SUBJECTS for number in range(40)).encode()


@dataclass
class Recording(HashingEmbedder):
    """Keeps the texts of every call; fails calls from a number on, if told to."""

    fails_from: int | None = None
    error: PulseDocsError = field(default_factory=lambda: ProviderRefused("not this text"))
    calls: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def __post_init__(self) -> None:
        super().__init__()

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        if self.fails_from is not None and len(self.calls) >= self.fails_from:
            self.fails_from = None
            raise self.error
        self.calls.append(tuple(texts))
        return super().embed_passages(texts, deadline=deadline)


@pytest.fixture
def new_pipeline(database_as: Callable[[str], Database]) -> Callable[[], Pipeline]:
    def build() -> Pipeline:
        return Pipeline(
            store=PostgresIngestionStore(database_as("ingest")),
            catalogue=PostgresDocumentCatalogue(database_as("api")),
            embedder=Recording(),
        )

    return build


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def ingest(pipeline: Pipeline, tenant: UUID, body: bytes = TEXT, **chunking: Any) -> str | None:
    options = {"profile": "semantic", "breakpoint_percentile": 98, **chunking}
    return pipeline.deliver(pipeline.upload(tenant, DOCUMENT, body, chunking=options))


def chunks_of(admin: Connection[Any], tenant: UUID) -> list[tuple[Any, ...]]:
    return admin.execute(
        "SELECT method, parameters, tokens, text FROM document_chunk WHERE tenant_id = %s"
        " ORDER BY chunk_index",
        [tenant],
    ).fetchall()


def tokens_spent(admin: Connection[Any], tenant: UUID) -> dict[str, int]:
    return dict(
        admin.execute(
            "SELECT method, sum(input_tokens)::int FROM usage WHERE tenant_id = %s GROUP BY method",
            [tenant],
        ).fetchall()
    )


def calls_of(pipeline: Pipeline) -> list[tuple[str, ...]]:
    assert isinstance(pipeline.embedder, Recording)
    return pipeline.embedder.calls


def test_a_long_document_is_cut_where_its_subject_changes(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S3-07: through every stage; the tokens of the sentences are accounted for."""
    pipeline, tenant = new_pipeline(), uuid4()

    assert ingest(pipeline, tenant) == PUBLISHED

    chunks = chunks_of(admin, tenant)
    assert {method for method, *_ in chunks} == {"semantic"}
    assert any(
        text.startswith("Revenue") or "seals run dry. Revenue" in text for *_, text in chunks
    )
    assert max(tokens for _, _, tokens, _ in chunks) <= 1_000
    spent = tokens_spent(admin, tenant)
    assert spent["sentences"] > sum(len(text.split()) for *_, text in chunks)
    assert spent["embed"] > 0


def test_a_short_document_is_one_chunk_and_nothing_is_measured(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S3-07: the shortcut saves the calls too."""
    pipeline, tenant = new_pipeline(), uuid4()

    assert ingest(pipeline, tenant, TEXT[:2_000]) == PUBLISHED

    assert [method for method, *_ in chunks_of(admin, tenant)] == ["single"]
    assert len(calls_of(pipeline)) == 1
    assert set(tokens_spent(admin, tenant)) == {"embed"}


def test_a_document_that_cannot_be_measured_is_cut_recursively_and_says_why(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S3-07: embedding failure; what was bought before it is accounted for."""
    pipeline, tenant = new_pipeline(), uuid4()
    pipeline.embedder = Recording(fails_from=3)

    assert ingest(pipeline, tenant) == PUBLISHED

    chunks = chunks_of(admin, tenant)
    assert {method for method, *_ in chunks} == {"recursive"}
    assert {parameters["fallback"] for _, parameters, *_ in chunks} == {"PROVIDER_REFUSED"}
    assert tokens_spent(admin, tenant)["sentences"] > 0


def test_a_crash_anywhere_ends_in_the_same_rows_and_buys_no_distance_twice(
    new_pipeline: Callable[[], Pipeline], admin: Connection[Any]
) -> None:
    """S0-08: at each fault point of the stages that measure."""
    calm, tenant = new_pipeline(), uuid4()
    reached: list[str] = []
    faults.install(reached.append)
    assert ingest(calm, tenant) == PUBLISHED
    faults.install(None)
    expected, calls = version_digest(admin, tenant, DOCUMENT), len(calls_of(calm))
    points = [point for point in dict.fromkeys(reached) if point.split(".")[0] in STAGES]

    assert {"clean.before_sentences", "embed.before_distances", "embed.after_distances"} <= {
        *points
    }
    for point in points:
        pipeline, tenant = new_pipeline(), uuid4()
        faults.install(once(point))
        assert ingest(pipeline, tenant) == PUBLISHED, point
        faults.install(None)
        assert version_digest(admin, tenant, DOCUMENT) == expected, point
        again = {"embed.before_distances", "embed.before_write"}
        assert len(calls_of(pipeline)) == calls + (point in again), point


STAGES = ("clean", "chunk", "embed")


def once(point: str) -> Callable[[str], None]:
    armed = [point]

    def inject(reached: str) -> None:
        if reached in armed:
            armed.clear()
            raise Crash(point)

    return inject


@pytest.mark.parametrize(
    ("chunking", "says"),
    [
        ({"profile": "semantic", "max_tokens": 2_000}, "'max_tokens' must be from 100 to 1000"),
        ({"profile": "classic", "characters": 20}, "'characters' must be from 64 to 8000"),
        ({"profile": "words", "words": 5}, "'words' must be from 10 to 1500"),
        ({"profile": "words", "max_tokens": 5}, "'max_tokens' is no parameter"),
        ({"max_tokens": 500}, "valid are classic, semantic, words"),
    ],
)
def test_an_override_out_of_range_is_refused_when_the_document_is_registered(
    new_pipeline: Callable[[], Pipeline], chunking: dict[str, Any], says: str
) -> None:
    """S3-04: custom_chunking, checked before a byte travels."""
    with pytest.raises(InvalidRequest, match=says):
        new_pipeline().upload(uuid4(), DOCUMENT, TEXT, chunking=chunking)


@pytest.mark.parametrize(
    ("chunking", "method"),
    [
        ({"profile": "semantic", "max_tokens": 200}, "semantic"),
        ({"profile": "classic", "characters": 300, "overlap_characters": 30}, "characters"),
        ({"profile": "words", "words": 100, "overlap_words": 10}, "words"),
    ],
)
def test_each_document_is_cut_as_it_asked(
    new_pipeline: Callable[[], Pipeline],
    admin: Connection[Any],
    chunking: dict[str, Any],
    method: str,
) -> None:
    """S3-04: per-document custom_chunking, in every profile."""
    pipeline, tenant = new_pipeline(), uuid4()

    event = pipeline.upload(tenant, DOCUMENT, TEXT, chunking=chunking)
    assert pipeline.deliver(event) == PUBLISHED

    chunks = chunks_of(admin, tenant)
    asked = {name: value for name, value in chunking.items() if name != "profile"}
    assert {made for made, *_ in chunks} <= {method, "recursive"}
    assert all(asked.items() <= parameters.items() for _, parameters, *_ in chunks)
