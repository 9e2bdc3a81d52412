"""Write the rows of one step, inside its transaction, for the run that holds the fence."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

from psycopg import Connection

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.ingestion.copies import NEW, decide, name_original
from pulsedocs.adapters.postgres.ingestion.endings import MISMATCH, REJECTED_AS_DUPLICATE
from pulsedocs.adapters.postgres.ingestion.publications import refuse_unfinished, replace_published
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    DocumentRow,
    VersionRow,
    chunks_json,
    cleaned_json,
    half_vector,
    key_of,
    pages_json,
    value_of,
)
from pulsedocs.errors import (
    ArtifactInvalid,
    ChecksumMismatch,
    EmbeddingError,
    ModelChanged,
    ModelNotFound,
)
from pulsedocs.model.budgets import Amounts, Limits, bought, holder_of
from pulsedocs.model.chunks import IdentifiedChunk
from pulsedocs.model.documents import ContentDecision, ErrorReport, Run
from pulsedocs.model.pages import CleanedPage, Page
from pulsedocs.pipeline import Outcome
from pulsedocs.prices import cost_of

_PAGES_AT_ONCE: Final = 200  # at most 200,000 characters each: bounds the JSON in memory


class PostgresStepWriter:
    """Implements `ingestion.ports.StepWriter`.

    `outcome` and `error` are what the step decided; the store commits them with the state.
    """

    def __init__(
        self,
        tx: Connection[Any],
        run: Run,
        document: DocumentRow,
        version: VersionRow,
        *,
        limits: Limits,
    ) -> None:
        self._tx = tx
        self._run = run
        self._key = key_of(run)
        self._document = document
        self._version = version
        self._limits = limits
        self.outcome: Outcome | None = None
        self.error: ErrorReport | None = None

    def accept_content(self, *, sha256: bytes, size: int, pages: int) -> ContentDecision:
        described = self._key | {"sha256": sha256, "size": size, "pages": pages}
        self._tx.execute(query("describe_content"), described)
        claimed = self._version.sha256
        if claimed is None:
            # The claim had not seen the bytes, so what it would have decided is decided here.
            declared = value_of(self._tx, "record_sha256", described)
            if declared not in (None, sha256):
                raise ChecksumMismatch(MISMATCH.message)
            decision = decide(self._tx, self._key, self._version)
            name_original(self._tx, self._key, decision)
            return decision
        if claimed != sha256:
            raise ArtifactInvalid("the pages were read from other bytes than those claimed")
        return NEW

    def insert_pages(self, pages: Iterable[Page]) -> None:
        ordered = sorted(pages, key=lambda page: page.number)
        for start in range(0, len(ordered), _PAGES_AT_ONCE):
            batch = pages_json(ordered[start : start + _PAGES_AT_ONCE])
            self._tx.execute(query("insert_pages"), self._key | {"pages": batch})

    def warn(self, texts: Sequence[str]) -> None:
        if texts:
            self._tx.execute(query("warn"), self._key | {"texts": list(texts)})

    def name_file(self, title: str | None) -> None:
        self._tx.execute(query("name_file"), self._key | {"title": title})

    def write_cleaned(self, pages: Iterable[CleanedPage]) -> None:
        ordered = sorted(pages, key=lambda page: page.number)
        for start in range(0, len(ordered), _PAGES_AT_ONCE):
            batch = ordered[start : start + _PAGES_AT_ONCE]
            parameters = self._key | {"pages": cleaned_json(batch)}
            written = self._tx.execute(query("write_cleaned"), parameters).rowcount
            if written != len(batch):
                raise ArtifactInvalid(f"{len(batch) - written} cleaned pages were never extracted")

    def insert_chunks(
        self, chunks: Sequence[IdentifiedChunk], *, embedded_title: str | None = None
    ) -> None:
        parameters = self._key | {
            "chunks": chunks_json(chunks),
            "collection_id": self._version.collection_id,
        }
        self._tx.execute(query("insert_chunks"), parameters)
        counted = parameters | {"chunks": len(chunks), "embedded_title": embedded_title}
        self._tx.execute(query("sort_in_memory"))
        self._tx.execute(query("index_words"), counted)
        self._tx.execute(query("count_chunks"), counted)

    def reuse_embeddings(self, model: str, chunk_ids: Sequence[UUID]) -> int:
        if not chunk_ids:
            return 0
        of_model = self._use_unless_left(model)
        if of_model is None:
            return 0
        parameters = of_model | {"chunk_ids": list(chunk_ids)}
        reused = self._tx.execute(query("copy_embeddings"), parameters).rowcount
        return reused + self._tx.execute(query("copy_twin_embeddings"), parameters).rowcount

    def insert_embeddings(
        self, model: str, vectors: Sequence[tuple[UUID, Sequence[float]]]
    ) -> None:
        chunk_ids = [chunk_id for chunk_id, _ in vectors]
        self._refuse_foreign(chunk_ids)
        of_model = self._use_unless_left(model)
        if of_model is not None and vectors:
            embeddings = [half_vector(vector) for _, vector in vectors]
            parameters = of_model | {"chunk_ids": chunk_ids, "embeddings": embeddings}
            self._tx.execute(query("insert_embeddings"), parameters)

    def insert_embedding_failures(self, model: str, failures: Sequence[tuple[UUID, str]]) -> None:
        if not failures:
            return
        chunk_ids = [chunk_id for chunk_id, _ in failures]
        self._refuse_foreign(chunk_ids)
        codes = [code for _, code in failures]
        parameters = self._key | {"model": model, "chunk_ids": chunk_ids, "codes": codes}
        self._tx.execute(query("insert_embedding_failures"), parameters)

    def record_usage(self, *, model: str, input_tokens: int, method: str, batch: str = "") -> None:
        book(
            self._tx, self._run, model=model, input_tokens=input_tokens, method=method, batch=batch
        )

    def count_pages(self, pages: int) -> None:
        holder = budgets.Holder(self._run.tenant_id, holder_of(self._run))
        amounts = Amounts(pages=pages)
        minutes = budgets.DOCUMENT_MINUTES
        budgets.reserve(self._tx, holder, amounts, limits=self._limits, minutes=minutes)
        budgets.settle(self._tx, holder, amounts, is_last=True)

    def publish(self, model: str) -> Outcome | None:
        self._tx.execute(query("keep_model"), self._key)
        active = self._active_model()
        try:
            refuse_unfinished(self._tx, self._use_model(active))
        except EmbeddingError as error:
            cut_for = value_of(self._tx, "chunked_for_model", self._key)
            if model == active and cut_for in (None, active):
                raise
            raise ModelChanged(f"the collection is searched by {active!r} by now") from error
        if self._version.is_older_than_published(self._document):
            self.outcome = Outcome.SUPERSEDED
        elif not self._version.hold:
            replace_published(self._tx, self._key, self._version)
            self.outcome = Outcome.PUBLISHED
        budgets.give_back(self._tx, self._run.tenant_id, [holder_of(self._run)])
        return self.outcome

    def end(self, outcome: Outcome, *, error: ErrorReport | None = None) -> None:
        if outcome is Outcome.REJECTED and error is None:
            error = REJECTED_AS_DUPLICATE
        self.outcome, self.error = outcome, error

    def _refuse_foreign(self, chunk_ids: Sequence[UUID]) -> None:
        parameters = self._key | {"chunk_ids": list(chunk_ids)}
        known = {row[0] for row in self._tx.execute(query("chunks_of_version"), parameters)}
        if not known.issuperset(chunk_ids):
            foreign = len(set(chunk_ids) - known)
            raise ArtifactInvalid(f"{foreign} vectors belong to no chunk of this version")

    def _active_model(self) -> str:
        active: str = value_of(self._tx, "model_of_version", self._key)
        return active

    def _use_unless_left(self, model: str) -> dict[str, Any] | None:
        """As `_use_model`; None where it is retired since the run began, as one that was left.

        Nobody will look for its vectors; `publish` sends the run back to the model of now.
        """
        try:
            return self._use_model(model)
        except ModelNotFound:
            if model == self._active_model():
                raise
            return None

    def _use_model(self, model: str) -> dict[str, Any]:
        """Return the key of the version with the model, which is not retired before the commit."""
        named = self._key | {"model": model}
        model_id = value_of(self._tx, "use_model", named)
        if model_id is None:
            raise ModelNotFound(f"the model {model!r} is not registered")
        return named | {"model_id": model_id}


def book(
    tx: Connection[Any], run: Run, *, model: str, input_tokens: int, method: str, batch: str
) -> None:
    """Count a call, and settle it with what the version has reserved; of a batch only once."""
    holder = holder_of(run)
    spent = {
        "model": model,
        "input_tokens": input_tokens,
        "method": method,
        "cost_usd": cost_of(model, input_tokens=input_tokens),
        "usage_id": uuid5(holder, f"{method} {model} {batch}") if batch else None,
    }
    if tx.execute(query("record_usage"), key_of(run) | spent).rowcount:
        amounts = bought(model, input_tokens=input_tokens)
        budgets.settle(tx, budgets.Holder(run.tenant_id, holder, model), amounts, is_last=False)
