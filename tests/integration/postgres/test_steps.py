"""A step writes its rows exactly once, or not at all."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Connection

from pulsedocs import faults
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.errors import (
    ArtifactInvalid,
    DocumentDeleted,
    EmbeddingError,
    FencedOut,
    IllegalTransition,
    StoreUnavailable,
    VectorDBError,
)
from pulsedocs.ingestion.ports import StepWriter
from pulsedocs.ingestion.store_pages import StoreResult
from pulsedocs.ingestion.store_vectors import EmbedResult
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.pages import Page, PageOutcome
from pulsedocs.pipeline import Outcome
from tests.integration.digest import version_digest
from tests.integration.invariants import violations
from tests.integration.postgres.author import (
    MODEL,
    TEXTS,
    Author,
    chunks_of,
    cleaned,
    page,
    vector_of,
)

REPORT = ErrorReport("PROCESSING_FAILED", "it broke", {"step": "chunk"}, "try again")
DOCUMENT = UUID("33333333-3333-4333-8333-333333333333")
BOUNDARIES = [
    f"{step}.{boundary}"
    for step in ("store", "clean", "chunk", "embed", "publish")
    for boundary in ("planned", "locked", "written", "before_commit", "after_commit")
]


class Crash(BaseException):
    """The process dies here."""


@pytest.fixture(autouse=True)
def _no_faults_left() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- autouse
    yield
    faults.install(None)


def strike_once(point: str) -> None:
    struck: list[str] = []

    def injector(reached: str) -> None:
        if reached == point and not struck:
            struck.append(reached)
            raise Crash

    faults.install(injector)


def write_nothing(_writer: StepWriter, _plan: None) -> StoreResult:
    return StoreResult()


def never() -> None:
    pytest.fail("a recorded step calls nothing")


def at_chunked(author: Author) -> Run:
    run = author.started()
    author.put_pages(run)
    author.clean(run)
    author.split(run)
    return run


@pytest.mark.parametrize("point", BOUNDARIES)
def test_a_step_that_dies_at_a_boundary_is_done_by_its_repetition(
    author: Author, admin: Connection[Any], point: str
) -> None:
    """S0-05, S0-08, K01, K02: I3 at each boundary of each step."""
    undisturbed = Author(author.store, author.catalogue)
    undisturbed.ingest(document_id=DOCUMENT)
    run = author.started(document_id=DOCUMENT)
    steps: list[Callable[[], object]] = [
        lambda: author.put_pages(run),
        lambda: author.clean(run),
        lambda: author.split(run),
        lambda: author.embed(run),
        lambda: author.publish(run),
    ]
    strike_once(point)

    crashes = 0
    for step in steps:
        try:
            step()
        except Crash:
            crashes += 1
            step()

    assert crashes == 1
    expected = version_digest(admin, undisturbed.tenant, DOCUMENT)
    assert version_digest(admin, author.tenant, DOCUMENT) == expected
    assert violations(admin, author.tenant) == []


def test_a_recorded_step_returns_its_result_and_calls_nothing(author: Author) -> None:
    run = author.started()
    author.put_pages(run)

    again = author.store.perform(run, StoreResult, plan=never, write=write_nothing)

    assert again == StoreResult(outcome=None, duplicate_of=None)


def test_a_step_that_another_worker_records_meanwhile_is_not_written_twice(
    author: Author, admin: Connection[Any], database_as: Callable[[str], Database]
) -> None:
    """K05: both planned, one committed first."""
    from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore

    run = author.started()
    other = Author(PostgresIngestionStore(database_as("ingest")), author.catalogue, author.tenant)

    def plan() -> None:
        other.put_pages(run)

    result = author.store.perform(run, StoreResult, plan=plan, write=write_nothing)

    assert result.outcome is None
    assert admin.execute("SELECT count(*) FROM document_page").fetchone() == (len(TEXTS),)


def test_a_stale_run_is_stopped_before_it_plans(author: Author, admin: Connection[Any]) -> None:
    run = author.started()
    admin.execute("UPDATE document_version SET fence = fence + 1")

    with pytest.raises(FencedOut):
        author.store.perform(run, StoreResult, plan=never, write=write_nothing)


def test_a_run_fenced_out_while_it_planned_writes_nothing(
    author: Author, admin: Connection[Any]
) -> None:
    run = author.started()

    def plan() -> list[Page]:
        admin.execute("UPDATE document_version SET fence = fence + 1")
        return [page(1, "stale")]

    def write(writer: StepWriter, pages: list[Page]) -> StoreResult:
        writer.insert_pages(pages)
        return StoreResult()

    with pytest.raises(FencedOut):
        author.store.perform(run, StoreResult, plan=plan, write=write)
    assert admin.execute("SELECT count(*) FROM document_page").fetchone() == (0,)


def test_a_document_deleted_while_a_step_planned_gets_no_rows(
    author: Author, admin: Connection[Any]
) -> None:
    """K18: the delete comes first, whoever asked first."""
    run = author.started()

    def plan() -> None:
        admin.execute("UPDATE document SET deleted_at = now()")

    with pytest.raises(DocumentDeleted):
        author.store.perform(run, StoreResult, plan=plan, write=write_nothing)


def test_a_step_out_of_order_is_refused(author: Author) -> None:
    run = author.started()

    with pytest.raises(IllegalTransition):
        author.clean(run)


def test_a_step_after_the_end_is_refused(author: Author) -> None:
    run = author.started()
    author.store.fail(run, Outcome.REJECTED, REPORT)

    with pytest.raises(IllegalTransition):
        author.put_pages(run)


def test_a_commit_whose_answer_was_lost_is_found_in_the_ledger(
    author: Author, admin: Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """K13: the connection dies after the server committed and before it said so."""
    from psycopg import Connection as Psycopg
    from psycopg import OperationalError

    run = author.started()
    commit = Psycopg[Any].commit
    lost: list[bool] = []

    def commit_and_die(connection: Psycopg[Any]) -> None:
        commit(connection)
        written = admin.execute("SELECT count(*) FROM document_page").fetchone()
        if written == (len(TEXTS),) and not lost:
            lost.append(True)
            connection.close()
            raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(Psycopg, "commit", commit_and_die)
    author.put_pages(run)

    assert lost
    assert admin.execute("SELECT count(*) FROM document_page").fetchone() == (len(TEXTS),)
    assert admin.execute("SELECT count(*) FROM step_ledger").fetchone() == (1,)


def test_batches_of_one_step_are_recorded_one_by_one(
    author: Author, admin: Connection[Any]
) -> None:
    """S0-11: a batch that failed leaves the earlier ones, and the chunks, as they are."""
    run = at_chunked(author)
    author.embed(run, TEXTS[:1], batch=0)

    def broken(_writer: StepWriter, _plan: None) -> EmbedResult:
        raise StoreUnavailable("injected")

    with pytest.raises(StoreUnavailable):
        author.store.perform(run, EmbedResult, plan=lambda: None, write=broken, batch=1)
    assert admin.execute("SELECT count(*) FROM chunk_embedding").fetchone() == (1,)

    author.embed(run, TEXTS, batch=1)
    assert author.publish(run) == "PUBLISHED"


def test_a_version_with_a_missing_vector_is_not_published(author: Author) -> None:
    run = at_chunked(author)
    author.embed(run, TEXTS[:1])

    with pytest.raises(EmbeddingError, match="1 of 2"):
        author.publish(run)


def test_a_refused_text_counts_as_done(author: Author) -> None:
    """I6: one vector or one refusal for each chunk."""
    run = at_chunked(author)
    author.embed(run, TEXTS[:1])
    refused = chunks_of(run, TEXTS)[1].chunk_id

    def write(writer: StepWriter, _plan: None) -> EmbedResult:
        writer.insert_embedding_failures(MODEL, [(refused, "PROVIDER_REFUSED")])
        return EmbedResult()

    author.store.perform(run, EmbedResult, plan=lambda: None, write=write, batch=1)

    assert author.publish(run) == "PUBLISHED"
    assert author.catalogue.status(author.tenant, run.document_id).stats["failed_chunks"] == 1


@pytest.mark.parametrize(
    ("vector", "error"),
    [
        ((0.0,) * 8, VectorDBError),  # its cosine to anything is NaN
        ((2.0,) + (0.0,) * 7, VectorDBError),
        ((1.0,), VectorDBError),
        ((1e9,) + (0.0,) * 7, ArtifactInvalid),
        ((float("nan"),) * 8, VectorDBError),
    ],
)
def test_a_vector_that_cannot_be_compared_is_refused(
    author: Author, vector: tuple[float, ...], error: type[Exception]
) -> None:
    """K11: whatever the provider sent, and whoever forgot to look."""
    run = at_chunked(author)
    chunk_id = chunks_of(run, TEXTS)[0].chunk_id

    def write(writer: StepWriter, _plan: None) -> EmbedResult:
        writer.insert_embeddings(MODEL, [(chunk_id, vector)])
        return EmbedResult()

    with pytest.raises(error):
        author.store.perform(run, EmbedResult, plan=lambda: None, write=write)


def test_a_vector_of_a_foreign_chunk_is_refused(author: Author) -> None:
    run = at_chunked(author)
    elsewhere = author.ingest("other.txt", ["Other text."])
    foreign = chunks_of(elsewhere, ["Other text."])[0].chunk_id

    for chunk_id in (uuid4(), foreign):

        def write(writer: StepWriter, _plan: None, chunk_id: UUID = chunk_id) -> EmbedResult:
            writer.insert_embeddings(MODEL, [(chunk_id, vector_of("any"))])
            return EmbedResult()

        with pytest.raises(ArtifactInvalid):
            author.store.perform(run, EmbedResult, plan=lambda: None, write=write)


def test_vectors_of_equal_text_are_copied_from_any_document(author: Author) -> None:
    """S0-10: text that was paid for once is not bought again."""
    author.ingest("first.txt")
    run = author.started("second.txt")
    texts = [*TEXTS, "Something else."]
    author.put_pages(run, texts)
    author.clean(run, texts)
    author.split(run, texts)
    chunks = chunks_of(run, texts)
    known = author.store.embedded_hashes(run, MODEL, [each.content_hash for each in chunks])
    assert known == {each.content_hash for each in chunks[:2]}

    def write(writer: StepWriter, _plan: None) -> EmbedResult:
        ids = [each.chunk_id for each in chunks]
        return EmbedResult(embedded=writer.reuse_embeddings(MODEL, ids))

    result = author.store.perform(run, EmbedResult, plan=lambda: None, write=write)

    assert result == EmbedResult(embedded=2)
    with pytest.raises(EmbeddingError, match="1 of 3"):
        author.publish(run)


def test_vectors_are_never_copied_from_another_tenant(author: Author) -> None:
    """I10: not even equal text lets one tenant see that another has it."""
    Author(author.store, author.catalogue).ingest()
    run = at_chunked(author)
    hashes = [each.content_hash for each in chunks_of(run, TEXTS)]

    assert author.store.embedded_hashes(run, MODEL, hashes) == set()


def test_pages_come_back_as_they_went_in(author: Author) -> None:
    run = author.started()
    pages = [
        Page(1, "Grüße\u2028 {}", PageOutcome.TEXT, "pdfium", "i", (), 3),
        Page(2, "", PageOutcome.FAILED, "pypdf", None, (), 0, "PDF_CORRUPTED"),
        Page(3, "", PageOutcome.EMPTY, "pdfium"),
    ]

    def write(writer: StepWriter, _plan: None) -> StoreResult:
        writer.insert_pages(reversed(pages))
        return StoreResult()

    author.store.perform(run, StoreResult, plan=lambda: None, write=write)
    author.clean(run, ["Grüße {}"])

    assert author.store.raw_pages(run)[1:] == pages[1:]
    assert author.store.raw_pages(run)[0].text == pages[0].text
    assert author.store.cleaned_pages(run) == [cleaned(1, "Grüße {}")]


def test_a_cleaned_page_that_was_never_extracted_is_refused(author: Author) -> None:
    run = author.started()
    author.put_pages(run, TEXTS[:1])

    with pytest.raises(ArtifactInvalid):
        author.clean(run, TEXTS)


def test_postings_equal_a_count_by_hand(author: Author, admin: Connection[Any]) -> None:
    texts = ["tide tide gauge", "gauge keeper", "the of and", "tide " * 300]
    run = author.ingest(texts=[text.strip() for text in texts])
    words = [Counter(text.split()) for text in ["tide tide gaug", "gaug keeper", ""]]
    words.append(Counter({"tide": 255}))  # a tsvector keeps no more positions of one lexeme
    lengths = [sum(counted.values()) for counted in words]
    expected = {
        term: (
            [index for index, counted in enumerate(words) if counted[term]],
            [counted[term] for counted in words if counted[term]],
            [lengths[index] for index, counted in enumerate(words) if counted[term]],
        )
        for term in ("tide", "gaug", "keeper")
    }

    rows = admin.execute(
        "SELECT term, array_agg(chunk_index), array_agg(tf), array_agg(dl) FROM ("
        " SELECT * FROM posted_word WHERE document_id = %s ORDER BY chunk_index) AS word"
        " GROUP BY term",
        [run.document_id],
    ).fetchall()
    stats = admin.execute("SELECT n, total_length FROM doc_stats").fetchone()

    assert {term: (ordinals, tfs, dls) for term, ordinals, tfs, dls in rows} == expected
    assert stats == (4, sum(lengths))


def test_a_failure_is_recorded_once_and_only_by_the_holder(
    author: Author, admin: Connection[Any]
) -> None:
    run = author.started()
    stale = Run(run.tenant_id, run.document_id, run.version, run.fence - 1)

    assert not author.store.fail(stale, Outcome.FAILED, REPORT)
    assert author.store.fail(run, Outcome.FAILED, REPORT)
    assert author.store.fail(run, Outcome.FAILED, REPORT)

    status = author.catalogue.status(author.tenant, run.document_id)
    assert (status.outcome, status.error) == (Outcome.FAILED, REPORT)
    ended = admin.execute("SELECT outcome FROM audit_event WHERE action = 'end_version'").fetchall()
    assert ended == [("FAILED",)]
    assert violations(admin, author.tenant) == []


def test_a_late_failure_never_overwrites_a_success(author: Author) -> None:
    run = author.ingest()

    assert not author.store.fail(run, Outcome.FAILED, REPORT)

    status = author.catalogue.status(author.tenant, run.document_id)
    assert status.outcome is Outcome.PUBLISHED


def test_usage_is_recorded_with_the_step(author: Author, admin: Connection[Any]) -> None:
    run = at_chunked(author)

    def write(writer: StepWriter, _plan: None) -> EmbedResult:
        writer.record_usage(model=MODEL, input_tokens=12, method="embed")
        return EmbedResult()

    for _ in range(2):
        author.store.perform(run, EmbedResult, plan=lambda: None, write=write)

    rows = admin.execute("SELECT state, method, source, input_tokens FROM usage").fetchall()
    assert rows == [("SETTLED", "embed", "log.txt", 12)]


def test_text_that_postgresql_cannot_hold_is_a_typed_error(author: Author) -> None:
    """Cleaning removes NUL and surrogates; what slips through ends the run with a reason."""
    for text in ("nul \x00", "surrogate \ud800"):
        run = author.started(f"{len(text)}.txt")

        def write(writer: StepWriter, _plan: None, text: str = text) -> StoreResult:
            writer.insert_pages([page(1, text)])
            return StoreResult()

        with pytest.raises(VectorDBError):
            author.store.perform(run, StoreResult, plan=lambda: None, write=write)


def test_a_vectors_chunk_is_looked_up_by_its_key_before_any_statistics_exist(
    author: Author, admin: Connection[Any]
) -> None:
    """Indexes that begin alike cost the same then; the wrong one reads every chunk each time."""
    texts = [f"Entry {number} of the log." for number in range(300)]
    run = author.started()
    author.put_pages(run, texts)
    author.clean(run, texts)
    author.split(run, texts)
    analysed = admin.execute(
        "SELECT reltuples FROM pg_class WHERE oid = 'document_chunk'::regclass"
    ).fetchone()

    check = (
        "EXPLAIN SELECT 1 FROM ONLY document_chunk x WHERE tenant_id = %s AND document_id = %s"
        " AND version = %s AND chunk_id = %s FOR KEY SHARE OF x"
    )
    key = [run.tenant_id, run.document_id, run.version, chunks_of(run, texts)[7].chunk_id]
    plan = "\n".join(row[0] for row in admin.execute(check, key))

    assert analysed == (-1,)
    assert "document_chunk_pkey" in plan
