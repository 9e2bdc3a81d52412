"""Vectors behind documents that are there: what lacks them, and the storing of what was bought.

None of it belongs to a step of ingestion: a version that is published stays so, and a row that is
there stays as it is. Late, repeated and concurrent writes therefore change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final
from uuid import UUID, uuid5

from psycopg import Connection

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.audits import record_audit
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.reprocessing import reprocess_published
from pulsedocs.adapters.postgres.rows import Key, half_vector, key_of, report_json, value_of
from pulsedocs.errors import ArtifactInvalid, FencedOut
from pulsedocs.faults import fault_point
from pulsedocs.model.budgets import NO_LIMITS, Amounts, Limits, bought, holder_of
from pulsedocs.model.changes import StageDefaults
from pulsedocs.model.documents import ErrorReport, Run
from pulsedocs.model.embeddings import BatchItem
from pulsedocs.model.models import (
    BackfillReference,
    BegunBackfill,
    LackingPage,
    LackingVersion,
    ModelReference,
)
from pulsedocs.pipeline import PIPELINE_REVISION
from pulsedocs.prices import cost_of

_NOWHERE: Final = f"{UUID(int=0)}/0/{UUID(int=0)}"
_ACTOR: Final = "backfill"
_METHOD: Final = "backfill"


class PostgresBackfillStore:
    """Implements `embedding_models.ports.BackfillStore`."""

    def __init__(
        self,
        database: Database,
        *,
        limits: Limits = NO_LIMITS,
        defaults: StageDefaults = StageDefaults(),  # noqa: B008 -- frozen
    ) -> None:
        self._database = database
        self._limits = limits
        self._defaults = defaults

    def record_probe(
        self, model: ModelReference, error: ErrorReport | None, *, name: str | None = None
    ) -> str | None:
        probed = {
            "model": name,
            "tenant_id": model.tenant_id,
            "probe_id": model.probe_id,
            "error": report_json(error),
        }
        return self._database.run(model.tenant_id, lambda tx: value_of(tx, "record_probe", probed))

    def begin(self, backfill: BackfillReference) -> BegunBackfill | None:
        def work(tx: Connection[Any]) -> BegunBackfill | None:
            row = tx.execute(query("begin_backfill"), _key(backfill)).fetchone()
            return None if row is None else BegunBackfill(*row)

        begun = self._database.run(backfill.tenant_id, work)
        fault_point("backfill.begun")
        return begun

    def renew(
        self, backfill: BackfillReference, *, after: str, limit: int
    ) -> tuple[list[UUID], str]:
        def work(tx: Connection[Any]) -> tuple[list[UUID], str]:
            key: dict[str, Any] = _lock(tx, backfill, position="") | {
                "after": UUID(after) if after else UUID(int=0),
                "limit": limit,
                "pipeline_revision": PIPELINE_REVISION,
            }
            rows = tx.execute(query("stale_documents"), key).fetchall()
            renewed = [
                document_id
                for (document_id,) in rows
                if reprocess_published(
                    tx,
                    {"tenant_id": backfill.tenant_id, "document_id": document_id},
                    defaults=self._defaults,
                )
            ]
            if renewed:
                tenant_id, model = backfill.tenant_id, key["model"]
                record_audit(
                    tx, tenant_id, _ACTOR, "reprocess_stale", model, documents=len(renewed)
                )
            fault_point("backfill.renewing")
            return renewed, str(rows[-1][0]) if len(rows) == limit else ""

        renewed = self._database.run(backfill.tenant_id, work)
        fault_point("backfill.renewed")
        return renewed

    def next_page(self, backfill: BackfillReference, *, after: str, limit: int) -> LackingPage:
        document_id, number, chunk_id = (after or _NOWHERE).split("/")
        place = {
            "document_id": UUID(document_id),
            "version": int(number),
            "chunk_id": UUID(chunk_id),
            "limit": limit,
        }

        def work(tx: Connection[Any]) -> LackingPage:
            key = _lock(tx, backfill, position=after)
            rows = tx.execute(query("chunks_to_backfill"), key | place).fetchall()
            versions = [
                LackingVersion(
                    Run(backfill.tenant_id, document, version, 0),
                    tuple(BatchItem(*row[2:]) for row in chunks),
                )
                for (document, version), chunks in groupby(rows, key=lambda row: row[:2])
            ]
            following = "{}/{}/{}".format(*rows[-1][:3]) if len(rows) == limit else ""
            return LackingPage(key["model"], tuple(versions), following)

        return self._database.run(backfill.tenant_id, work)

    def hand_over(self, backfill: BackfillReference) -> None:
        self._database.execute(backfill.tenant_id, "free_backfill", _key(backfill))

    def end(self, backfill: BackfillReference, error: ErrorReport | None = None) -> bool:
        ended = _key(backfill) | {"error": report_json(error)}
        is_ours = self._database.run(
            backfill.tenant_id, lambda tx: value_of(tx, "end_backfill", ended)
        )
        return is_ours is not None

    def other_models(self, run: Run) -> list[str]:
        rows = self._database.rows(run.tenant_id, "other_models_of_version", key_of(run))
        return [row[0] for row in rows]

    def lacking(self, run: Run, model: str) -> tuple[BatchItem, ...]:
        key = key_of(run) | {"model": model}

        def work(tx: Connection[Any]) -> tuple[BatchItem, ...]:
            rows = tx.execute(query("chunks_to_embed"), key).fetchall()
            return _reuse(run, model, tuple(BatchItem(*row[:3]) for row in rows), tx)

        return self._database.run(run.tenant_id, work)

    def reuse(self, model: str, lacking: LackingVersion) -> tuple[BatchItem, ...]:
        work = partial(_reuse, lacking.run, model, lacking.items)
        return self._database.run(lacking.run.tenant_id, work)

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None:
        holder = budgets.Holder(run.tenant_id, holder_of(run), model)
        minutes = budgets.BACKFILL_MINUTES

        def work(tx: Connection[Any]) -> None:
            budgets.reserve(tx, holder, amounts, limits=self._limits, minutes=minutes)

        self._database.run(run.tenant_id, work)
        fault_point("budget.after_commit")

    def add(
        self,
        run: Run,
        model: str,
        *,
        vectors: Sequence[tuple[UUID, Sequence[float]]],
        refusals: Sequence[tuple[UUID, str]],
        input_tokens: int,
    ) -> int:
        bought = _Bought(run, model, vectors, refusals, input_tokens)
        stored = self._database.run(run.tenant_id, bought.write)
        fault_point("backfill.after_commit")
        return stored


@dataclass(frozen=True, slots=True)
class _Bought:
    """What a provider gave for some chunks of a version."""

    run: Run
    model: str
    vectors: Sequence[tuple[UUID, Sequence[float]]]
    refusals: Sequence[tuple[UUID, str]]
    input_tokens: int

    def write(self, tx: Connection[Any]) -> int:
        """Add rows for chunks that are there; return how many were new.

        Nothing is added to a document that was deleted or for a model that was retired: both stay
        locked until the commit. Only what added a row was bought for the first time; what is not
        kept was paid for all the same.
        """
        chunk_ids = [chunk_id for chunk_id, _ in (*self.vectors, *self.refusals)]
        key = _lock_for_vectors(tx, self.run, self.model)
        known = set[UUID]()
        if key is not None:
            rows = tx.execute(query("chunks_of_version"), key | _ids(chunk_ids))
            known = {row[0] for row in rows}
        added = 0
        if key is None or not known:
            # The same id for the same chunks: no row shows that a repetition is one.
            bought_for = " ".join(map(str, sorted(chunk_ids)))
            usage_id = uuid5(holder_of(self.run), f"{self.model} {bought_for}")
            self._record(tx, usage_id=usage_id)
        elif not known.issuperset(chunk_ids):
            raise ArtifactInvalid("vectors belong to no chunk of this version")
        else:
            added = self._insert(tx, key)
            if added:
                self._record(tx, usage_id=None)
        fault_point("backfill.before_commit")
        return added

    def _record(self, tx: Connection[Any], *, usage_id: UUID | None) -> None:
        tokens = self.input_tokens
        spent: Key = {"model": self.model, "input_tokens": tokens, "method": _METHOD}
        spent |= {"cost_usd": cost_of(self.model, input_tokens=tokens), "usage_id": usage_id}
        if tx.execute(query("record_usage"), key_of(self.run) | spent).rowcount:
            holder = budgets.Holder(self.run.tenant_id, holder_of(self.run), self.model)
            amounts = bought(self.model, input_tokens=tokens)
            budgets.settle(tx, holder, amounts, is_last=False)

    def _insert(self, tx: Connection[Any], key: Key) -> int:
        added = 0
        if self.vectors:
            embeddings = [half_vector(vector) for _, vector in self.vectors]
            rows = key | _ids([i for i, _ in self.vectors]) | {"embeddings": embeddings}
            added += tx.execute(query("insert_embeddings"), rows).rowcount
        if self.refusals:
            codes = [code for _, code in self.refusals]
            rows = key | _ids([i for i, _ in self.refusals]) | {"codes": codes}
            added += tx.execute(query("insert_embedding_failures"), rows).rowcount
        return added


def _key(backfill: BackfillReference) -> Key:
    return {
        "tenant_id": backfill.tenant_id,
        "backfill_id": backfill.backfill_id,
        "holder": backfill.holder,
    }


def _lock(tx: Connection[Any], backfill: BackfillReference, *, position: str) -> Key:
    """Return what the backfill is about; raise FencedOut when another execution has it."""
    key = _key(backfill)
    row = tx.execute(query("lock_backfill"), key | {"position": position}).fetchone()
    if row is None:
        raise FencedOut("another execution has this backfill, or it has ended")
    return key | {"model": row[0], "collection_id": row[1]}


def _lock_for_vectors(tx: Connection[Any], run: Run, model: str) -> Key | None:
    """Lock the document and the model for what is added; None when either is gone."""
    key = key_of(run) | {"model": model}
    if value_of(tx, "share_document", key) is None:
        return None
    model_id = value_of(tx, "use_model", key)
    return None if model_id is None else key | {"model_id": model_id}


def _reuse(
    run: Run, model: str, items: Sequence[BatchItem], tx: Connection[Any]
) -> tuple[BatchItem, ...]:
    """Copy vectors of equal text or bytes; return what is left to buy, nothing for what is gone."""
    key = _lock_for_vectors(tx, run, model)
    if key is None:
        return ()
    hashes = {"content_hashes": list({item.content_hash for item in items})}
    known = {row[0] for row in tx.execute(query("embedded_hashes"), key | hashes)}
    copied = [item.chunk_id for item in items if item.content_hash in known]
    if copied:
        tx.execute(query("copy_embeddings"), key | _ids(copied))
    left = [item for item in items if item.content_hash not in known]
    twins = key | _ids([item.chunk_id for item in left])
    served = {row[0] for row in tx.execute(query("copy_twin_embeddings"), twins)}
    return tuple(item for item in left if item.chunk_id not in served)


def _ids(chunk_ids: Sequence[UUID]) -> Key:
    return {"chunk_ids": list(chunk_ids)}
