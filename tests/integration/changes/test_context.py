"""What chunks are embedded and matched with: paid for when it changes, gone when it is deleted."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.memory.embedder import HashingEmbedder
from pulsedocs.documents.update_documents import describe_document
from pulsedocs.model.changes import Description
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.model.object_keys import ingest_control_key
from tests.integration.changes.keeper import Keeper, document_of, rows_left
from tests.integration.ingestion.pipeline import MODEL, PUBLISHED, Crash, Event
from tests.integration.invariants import violations

PARTS = ("wick", "glass", "burner", "chimney", "oil can", "reflector", "bracket", "cap")
BODY = " ".join(f"The {part} is looked at before dusk and put back clean." for part in PARTS)


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk of the published version, as it is stored."""

    index: int
    text: str
    before: str | None
    content_hash: bytes
    parameters: dict[str, Any]

    @property
    def indexed(self) -> str:
        return self.text if self.before is None else f"{self.before}\n{self.text}"


class Listening(HashingEmbedder):
    """Remembers which passages it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        self.heard += texts
        return super().embed_passages(texts, deadline=deadline)


@pytest.fixture
def embedder(keeper: Keeper) -> Listening:
    keeper.pipeline.embedder = listening = Listening()
    return listening


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


@pytest.fixture
def rows_of(admin: Connection[Any]) -> Callable[[UUID], list[Row]]:
    def rows(document_id: UUID) -> list[Row]:
        found = admin.execute(
            "SELECT chunk_index, text, context_before, content_hash, parameters"
            " FROM document_chunk JOIN document USING (tenant_id, document_id)"
            " WHERE document_id = %s AND version = published_version ORDER BY chunk_index",
            [document_id],
        )
        return [Row(*row) for row in found.fetchall()]

    return rows


def upload(
    keeper: Keeper,
    heading: str,
    *,
    context: str | None = "title_section",
    title: str | None = None,
    document_id: UUID | None = None,
) -> Event:
    chosen = {} if context is None else {"context": context}
    event = keeper.upload(
        "lamp_manual.md",
        f"# {heading}\n\n{BODY}".encode(),
        content_type="text/markdown",
        chunking={"profile": "classic", "characters": 110, "overlap_characters": 0, **chosen},
        document_id=document_id,
    )
    if title is not None:
        retitle(keeper, document_of(event), title)
    return event


def ingest(keeper: Keeper, heading: str, **options: Any) -> UUID:
    event = upload(keeper, heading, **options)
    assert keeper.pipeline.deliver(event) == PUBLISHED
    return document_of(event)


def retitle(keeper: Keeper, document_id: UUID, title: str) -> None:
    description = Description(frozenset({"title"}), title=title)
    describe_document(
        keeper.tenant, document_id, description, actor="tester", changes=keeper.changes
    )


def reprocess(keeper: Keeper, document_id: UUID, **fields: Any) -> None:
    keeper.update("metadata", document_ids=(document_id,), reprocess_chunks=True, **fields)
    control = Event(ingest_control_key(keeper.tenant, document_id), "none", "0")
    assert keeper.pipeline.deliver(control) == PUBLISHED


def vectors_of(admin: Connection[Any], document_id: UUID) -> list[list[float]]:
    rows = admin.execute(
        "SELECT embedding::vector::real[] FROM chunk_embedding"
        " JOIN document_chunk USING (tenant_id, document_id, version, chunk_id)"
        " JOIN document USING (tenant_id, document_id)"
        " WHERE document_id = %s AND version = published_version ORDER BY chunk_index",
        [document_id],
    )
    return [row[0] for row in rows.fetchall()]


def assert_embedded_as_indexed(
    keeper: Keeper, admin: Connection[Any], document_id: UUID, rows: list[Row]
) -> None:
    """Each stored vector, bought or copied, is that of the chunk's text with its context."""
    wanted = keeper.pipeline.embedder.embed_passages(
        [row.indexed for row in rows], deadline=Deadline.after(60)
    )
    for vector, expected in zip(vectors_of(admin, document_id), wanted.vectors, strict=True):
        assert vector == pytest.approx(expected, abs=1e-3)


def test_what_is_embedded_and_matched_is_the_text_with_its_context(
    keeper: Keeper, embedder: Listening, admin: Connection[Any], rows_of: Callable[..., list[Row]]
) -> None:
    """Issue 4, part 4: title and section count for both legs; what is stored stays a quotation."""
    document_id = ingest(keeper, "Lamps", title="Keeper's almanac")

    rows = rows_of(document_id)
    assert len(rows) > 3
    assert embedder.heard == [row.indexed for row in rows]
    assert rows[0].before == "Keeper's almanac"  # the text begins with the heading
    assert {row.before for row in rows[1:]} == {"Keeper's almanac\nLamps"}
    assert {row.parameters["context"] for row in rows} == {"title_section"}
    assert all(row.content_hash == hashlib.sha256(row.indexed.encode()).digest() for row in rows)
    assert_embedded_as_indexed(keeper, admin, document_id, rows)
    counted = admin.execute(
        "SELECT index, lexeme, cardinality(positions), sum(cardinality(positions)) OVER"
        " (PARTITION BY index) FROM unnest(%s::integer[], %s::text[]) AS chunk (index, indexed)"
        " CROSS JOIN unnest(to_tsvector('english', indexed))",
        [[row.index for row in rows], [row.indexed for row in rows]],
    ).fetchall()
    postings = admin.execute(
        "SELECT chunk_index, term, tf, dl FROM posted_word WHERE document_id = %s",
        [document_id],
    ).fetchall()
    total = admin.execute(
        "SELECT total_length FROM doc_stats WHERE document_id = %s", [document_id]
    ).fetchone()
    assert sorted(postings) == sorted(counted)
    assert total == (sum(tf for _, _, tf, _ in counted),)
    assert keeper.sources_found("almanac") == {"lamp_manual.md"}
    shown = keeper.pipeline.catalogue.chunks(keeper.tenant, document_id, after=-1, limit=50)
    assert [each["content"] for each in shown] == [row.text for row in rows]
    assert shown[1]["metadata"]["context"] == {"before": rows[1].before, "after": None}
    assert shown[1]["metadata"]["chunking_parameters"]["context"] == "title_section"


def test_a_chunk_that_moved_to_another_section_takes_no_old_vector_along(
    keeper: Keeper, embedder: Listening, admin: Connection[Any], rows_of: Callable[..., list[Row]]
) -> None:
    """S0-12: equal text in an equal place is copied; under another heading it is bought."""
    document_id = ingest(keeper, "Lamps")
    old = rows_of(document_id)
    embedder.heard.clear()

    ingest(keeper, "Lanterns", document_id=document_id)

    moved = rows_of(document_id)
    assert {row.text for row in old[1:]} & {row.text for row in moved[1:]}
    assert embedder.heard == [row.indexed for row in moved]
    assert_embedded_as_indexed(keeper, admin, document_id, moved)
    embedder.heard.clear()
    ingest(keeper, "Lamps", document_id=document_id)
    assert embedder.heard == []
    assert rows_of(document_id) == old
    assert_embedded_as_indexed(keeper, admin, document_id, old)


def test_a_new_title_costs_nothing_until_the_document_is_made_anew(
    keeper: Keeper, embedder: Listening, admin: Connection[Any], rows_of: Callable[..., list[Row]]
) -> None:
    """S3-12: a PATCH of the title embeds nothing; reprocess_chunks takes the new title up."""
    document_id = ingest(keeper, "Lamps", context="title")
    before = rows_of(document_id)
    assert {row.before for row in before} == {"lamp manual: Lamps"}  # by its name, by itself
    embedder.heard.clear()

    retitle(keeper, document_id, "Keeper's almanac")

    assert (embedder.heard, rows_of(document_id)) == ([], before)
    reprocess(keeper, document_id)
    after = rows_of(document_id)
    assert {row.before for row in after} == {"Keeper's almanac"}
    assert [row.text for row in after] == [row.text for row in before]
    assert embedder.heard == [row.indexed for row in after]
    assert_embedded_as_indexed(keeper, admin, document_id, after)
    assert violations(admin, keeper.tenant) == []


def test_a_request_chooses_the_context_and_the_title_is_what_there_is_otherwise(
    keeper: Keeper, embedder: Listening, rows_of: Callable[..., list[Row]]
) -> None:
    document_id = ingest(keeper, "Lamps", context="none", title="Keeper's almanac")
    plain = rows_of(document_id)

    chosen = {"profile": "semantic"}
    reprocess(keeper, document_id, chunking=chosen)

    assert {(row.before, row.parameters["context"]) for row in plain} == {(None, "none")}
    assert embedder.heard[: len(plain)] == [row.text for row in plain]
    [whole] = rows_of(document_id)
    assert (whole.before, whole.parameters["context"]) == ("Keeper's almanac", "title")


def test_texts_that_are_staged_again_are_those_that_were_to_be_embedded(
    keeper: Keeper, rows_of: Callable[..., list[Row]]
) -> None:
    """A version taken up after its batches expired; the title was changed meanwhile."""
    event = upload(keeper, "Lamps", title="Keeper's almanac")
    claimed = keeper.pipeline.claim(event)
    assert claimed.run is not None
    faults.install(_crash_before_embedding)
    with suppress(Crash):
        keeper.pipeline.run(claimed)
    faults.install(None)
    retitle(keeper, document_of(event), "Another title")

    missing = keeper.pipeline.store.unembedded(claimed.run, MODEL).items

    assert len(missing) > 3
    assert all(item.text.startswith("Keeper's almanac\n") for item in missing)
    assert all(item.content_hash == hashlib.sha256(item.text.encode()).digest() for item in missing)
    assert rows_of(document_of(event)) == []


def test_a_deletion_takes_the_words_of_the_context_along(
    keeper: Keeper, admin: Connection[Any]
) -> None:
    """I8: the title's words are in rows of the document alone, and the proof finds none left."""
    event = keeper.upload("bells.md", b"# Bells\n\nThe rope is greased at dawn.")
    assert keeper.pipeline.deliver(event) == PUBLISHED
    document_id = ingest(keeper, "Lamps", title="Keeper's almanac")

    receipt_id = keeper.delete(document_id)
    assert keeper.sources_found("almanac lamps") <= {"bells.md"}
    keeper.run_purges()

    verification = keeper.receipt(receipt_id).verification
    assert verification is not None
    assert (verification["left"], verification["elsewhere"]) == (0, [])
    assert rows_left(admin, keeper.tenant, document_id) == {}
    left = admin.execute("SELECT count(*) FROM posting WHERE term = 'almanac'").fetchone()
    assert left == (0,)


def _crash_before_embedding(point: str) -> None:
    if point == "embed.before_write":
        raise Crash
