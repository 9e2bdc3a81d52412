"""Write document versions one step at a time, each exactly once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.ingestion import claims
from pulsedocs.adapters.postgres.ingestion.adoptions import Adoption, adopt
from pulsedocs.adapters.postgres.ingestion.endings import audit_end, end_version
from pulsedocs.adapters.postgres.ingestion.step_writer import PostgresStepWriter, book
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import (
    cleaned_page,
    key_of,
    lock_document,
    lock_version,
    raw_page,
    report_json,
    value_of,
)
from pulsedocs.errors import (
    Cancelled,
    DocumentDeleted,
    DocumentNotFound,
    FencedOut,
    IllegalTransition,
)
from pulsedocs.faults import fault_point
from pulsedocs.ingestion.ports import StepWriter
from pulsedocs.model.budgets import NO_LIMITS, Amounts, Limits, holder_of
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.documents import (
    ClaimedWork,
    ErrorReport,
    NothingToDo,
    Run,
    RunChoices,
    StoredObject,
    titled,
)
from pulsedocs.model.embeddings import BatchItem, Unembedded
from pulsedocs.model.pages import CleanedPage, Page
from pulsedocs.model.requests import IngestRecord
from pulsedocs.model.steps import StepResult
from pulsedocs.pipeline import STATE_AFTER, STATE_BEFORE, Outcome, Step

Plan = TypeVar("Plan")
Result = TypeVar("Result", bound=StepResult)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A step about to be written: which one, for whom, and since when it runs."""

    run: Run
    step: Step
    batch: int
    started: float
    limits: Limits

    @property
    def key(self) -> dict[str, Any]:
        return key_of(self.run) | {"step": self.step.value, "batch": self.batch}


class PostgresIngestionStore:
    """Implements `ingestion.ports.IngestionStore`."""

    def __init__(
        self,
        database: Database,
        *,
        default_model: str = "local:bge-small-en-v1.5@384",
        defaults: StageDefaults = StageDefaults(),  # noqa: B008 -- frozen
        limits: Limits = NO_LIMITS,
    ) -> None:
        self._database = database
        self._limits = limits
        self._default_model = default_model
        self._defaults = defaults

    def claim(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        stored: StoredObject | None,
        sequencer: str | None,
        holder: str,
        content: bytes | ErrorReport | None = None,
    ) -> ClaimedWork | NothingToDo:
        request = claims.Request(tenant_id, document_id, stored, sequencer, holder, content)
        decision = self._database.run(tenant_id, partial(claims.claim, request))
        fault_point("claim.after_commit")
        return decision

    def adopt(
        self,
        tenant_id: UUID,
        document_id: UUID,
        *,
        record: IngestRecord,
        stored: StoredObject,
        sequencer: str | None,
    ) -> NothingToDo | None:
        adoption = Adoption(
            tenant_id,
            document_id,
            record=record,
            stored=stored,
            sequencer=sequencer,
            default_model=self._default_model,
            defaults=self._defaults,
        )
        refusal = self._database.run(tenant_id, partial(adopt, adoption))
        fault_point("adopt.after_commit")
        return refusal

    def perform(
        self,
        run: Run,
        kind: type[Result],
        *,
        plan: Callable[[], Plan],
        write: Callable[[StepWriter, Plan], Result],
        batch: int = 0,
    ) -> Result:
        attempt = _Attempt(run, kind.step, batch, time.monotonic(), self._limits)
        # Asked before the plan: a step that is repeated must buy nothing again.
        find = partial(_find_recorded, attempt)
        recorded = self._database.run(run.tenant_id, find, read_only=True)
        if recorded is not None:
            return kind.model_validate(recorded)
        planned = plan()
        fault_point(f"{attempt.step}.planned")
        result = self._database.run(
            run.tenant_id,
            lambda tx: _write_once(attempt, tx, lambda writer: write(writer, planned).to_json()),
        )
        fault_point(f"{attempt.step}.after_commit")
        return kind.model_validate(result)

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None:
        holder = budgets.Holder(run.tenant_id, holder_of(run), model)
        minutes = budgets.DOCUMENT_MINUTES

        # A transaction of its own: in the step's, the row of the tenant's day would be locked, and
        # its questions wait, until its largest document is written.
        def work(tx: Connection[Any]) -> None:
            budgets.reserve(tx, holder, amounts, limits=self._limits, minutes=minutes)

        self._database.run(run.tenant_id, work)
        fault_point("budget.after_commit")

    def book(self, run: Run, *, model: str, input_tokens: int, batch: str) -> None:
        def work(tx: Connection[Any]) -> None:
            book(tx, run, model=model, input_tokens=input_tokens, method="embed", batch=batch)

        self._database.run(run.tenant_id, work)
        fault_point("book.after_commit")

    def release(self, run: Run) -> None:
        def work(tx: Connection[Any]) -> None:
            if value_of(tx, "is_over", key_of(run)):
                budgets.give_back(tx, run.tenant_id, [holder_of(run)])

        self._database.run(run.tenant_id, work)

    def is_object_known(self, tenant_id: UUID, document_id: UUID, *, object_version: str) -> bool:
        key = {"tenant_id": tenant_id, "document_id": document_id}
        arrived = key | {"object_version": object_version}
        return bool(self._database.rows(tenant_id, "is_object_known", arrived))

    def fail(
        self, run: Run, outcome: Outcome, error: ErrorReport, *, is_passing: bool = False
    ) -> bool:
        def work(tx: Connection[Any]) -> bool:
            document = lock_document(tx, key_of(run))
            version = lock_version(tx, key_of(run))
            fault_point("fail.locked")
            if document is None or version is None or version.fence != run.fence:
                return False
            if version.outcome is not None:
                return version.outcome == outcome  # asked again after a lost answer
            end_version(tx, key_of(run), outcome, error=error, code=error.code)
            if is_passing:
                tx.execute(query("request_later_run"), key_of(run))
            budgets.give_back(tx, run.tenant_id, [holder_of(run)])
            fault_point("fail.before_commit")
            return True

        is_ours = self._database.run(run.tenant_id, work)
        fault_point("fail.after_commit")
        return is_ours

    def deletion_of(self, tenant_id: UUID, document_id: UUID) -> UUID | None:
        key = {"tenant_id": tenant_id, "document_id": document_id}
        rows = self._database.rows(tenant_id, "receipt_of_document", key)
        return rows[0][0] if rows else None

    def leased_run(self, tenant_id: UUID, document_id: UUID, *, holder: str) -> Run | None:
        key = {"tenant_id": tenant_id, "document_id": document_id, "holder": holder}
        rows = self._database.rows(tenant_id, "leased_run", key)
        return Run(tenant_id, document_id, *rows[0]) if rows else None

    def raw_pages(self, run: Run) -> list[Page]:
        return [raw_page(row) for row in self._of_run(run, "raw_pages")]

    def cleaned_pages(self, run: Run) -> list[CleanedPage]:
        return [cleaned_page(row) for row in self._of_run(run, "cleaned_pages")]

    def choices_of(self, run: Run) -> RunChoices:
        rows = self._of_run(run, "run_choices")
        if not rows:
            raise DocumentNotFound(f"no version {run.version} of document {run.document_id}")
        chunking, sha256, model, given, by_file, source = rows[0]
        return RunChoices(chunking, sha256, model, titled(given, by_file, source))

    def embedded_hashes(self, run: Run, model: str, content_hashes: Sequence[bytes]) -> set[bytes]:
        wanted = list(set(content_hashes))
        rows = self._of_run(run, "embedded_hashes", model=model, content_hashes=wanted)
        return {row[0] for row in rows}

    def copied_hashes(self, run: Run, model: str) -> set[bytes]:
        return {row[0] for row in self._of_run(run, "copied_hashes", model=model)}

    def unembedded(self, run: Run, model: str) -> Unembedded:
        rows = self._of_run(run, "chunks_to_embed", model=model)
        items = tuple(BatchItem(row[0], row[1], row[2]) for row in rows)
        return Unembedded(items, next_batch=rows[0][3] if rows else 0)

    def _of_run(self, run: Run, name: str, **parameters: object) -> list[tuple[Any, ...]]:
        return self._database.rows(run.tenant_id, name, key_of(run) | parameters)


def _find_recorded(attempt: _Attempt, tx: Connection[Any]) -> dict[str, Any] | None:
    """Return what the step recorded, or None for a run that may go on to plan it."""
    row = tx.execute(query("run_state"), attempt.key).fetchone()
    if row is None:
        raise DocumentDeleted("the document is gone")
    deleted_at, fence, outcome, result = row
    if result is None:
        _refuse_stale(attempt.run, is_deleted=deleted_at is not None, fence=fence, outcome=outcome)
    return result


def _refuse_stale(run: Run, *, is_deleted: bool, fence: int, outcome: str | None) -> None:
    if is_deleted:
        raise DocumentDeleted("the document was deleted")
    if fence != run.fence and outcome == Outcome.CANCELLED:
        raise Cancelled("somebody cancelled this version")
    if fence != run.fence:
        raise FencedOut("another run holds this version", fence=run.fence, current=fence)


def _write_once(
    attempt: _Attempt, tx: Connection[Any], write: Callable[[StepWriter], dict[str, Any]]
) -> dict[str, Any]:
    """Write rows, state and ledger together, or find that they were written before.

    The ledger is read under the locks: before them, a second run of the step would miss what the
    first one is about to commit.
    """
    # The document, then the version: everyone locks in this order.
    document = lock_document(tx, attempt.key)
    version = lock_version(tx, attempt.key)
    if document is None or version is None:
        raise DocumentDeleted("the document is gone")
    fault_point(f"{attempt.step}.locked")
    recorded = _find_recorded(attempt, tx)
    if recorded is not None:
        return recorded
    expected = STATE_BEFORE[attempt.step]
    if version.state != expected or version.outcome is not None:
        raise IllegalTransition(
            f"{attempt.step} needs a version that is {expected}",
            state=version.state,
            outcome=version.outcome,
        )
    writer = PostgresStepWriter(tx, attempt.run, document, version, limits=attempt.limits)
    result = write(writer)
    fault_point(f"{attempt.step}.written")
    _advance(attempt, tx, writer)
    elapsed_ms = round((time.monotonic() - attempt.started) * 1000)
    recording = {"result": Jsonb(result), "elapsed_ms": elapsed_ms}
    tx.execute(query("record_step"), attempt.key | recording)
    fault_point(f"{attempt.step}.before_commit")
    return result


def _advance(attempt: _Attempt, tx: Connection[Any], writer: PostgresStepWriter) -> None:
    outcome = writer.outcome
    advanced = attempt.key | {
        "state": STATE_AFTER[attempt.step].value,
        "outcome": None if outcome is None else outcome.value,
        "error": report_json(writer.error),
        "keeps_lease": outcome is None and attempt.step is not Step.PUBLISH,
    }
    tx.execute(query("advance_version"), advanced)
    if outcome is not None:
        audit_end(tx, attempt.key, outcome, step=attempt.step.value)
