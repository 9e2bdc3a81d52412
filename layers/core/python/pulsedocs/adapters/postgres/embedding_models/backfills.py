"""Vectors behind documents that are there: what lacks them, and the storing of what was bought.

None of it belongs to a step of ingestion: a version that is published stays so, and a row that is
there stays as it is. Late, repeated and concurrent writes therefore change nothing.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final
from uuid import UUID, uuid5

from pgvector import HalfVector
from psycopg import Connection
from psycopg.types.json import Jsonb

from pulsedocs.adapters.postgres import budgets
from pulsedocs.adapters.postgres.connection import Database
from pulsedocs.adapters.postgres.queries import query
from pulsedocs.adapters.postgres.rows import Key, key_of, report_json, value_of
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
    """Implements `ports.models.BackfillStore`."""

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
            row = tx.execute(query("begin_backfill"), _held(backfill)).fetchone()
            return None if row is None else BegunBackfill(*row)

        begun = self._database.run(backfill.tenant_id, work)
        fault_point("backfill.begun")
        return begun

    def renew(
        self, backfill: BackfillReference, *, after: str, limit: int
    ) -> tuple[list[UUID], str]:
        work = partial(_renew, self._defaults, _held(backfill) | {"limit": limit}, after)
        renewed = self._database.run(backfill.tenant_id, work)
        fault_point("backfill.renewed")
        return renewed

    def next_page(self, backfill: BackfillReference, *, after: str, limit: int) -> LackingPage:
        held = _held(backfill) | {"position": after}
        work = partial(_next_page, held | {"limit": limit})
        return self._database.run(backfill.tenant_id, work)

    def hand_over(self, backfill: BackfillReference) -> None:
        held = _held(backfill)
        self._database.run(backfill.tenant_id, lambda tx: tx.execute(query("free_backfill"), held))

    def end(self, backfill: BackfillReference, error: ErrorReport | None = None) -> bool:
        ended = _held(backfill) | {"error": report_json(error)}
        is_ours = self._database.run(
            backfill.tenant_id, lambda tx: value_of(tx, "end_backfill", ended)
        )
        return is_ours is not None

    def other_models(self, run: Run) -> list[str]:
        rows = self._database.run(
            run.tenant_id,
            lambda tx: tx.execute(query("other_models_of_version"), key_of(run)).fetchall(),
            read_only=True,
        )
        return [row[0] for row in rows]

    def lacking(self, run: Run, model: str) -> tuple[BatchItem, ...]:
        return self._database.run(run.tenant_id, partial(_lacking, run, model))

    def reuse(self, model: str, lacking: LackingVersion) -> tuple[BatchItem, ...]:
        work = partial(_reuse, lacking.run, model, lacking.items)
        return self._database.run(lacking.run.tenant_id, work)

    def reserve(self, run: Run, model: str, amounts: Amounts) -> None:
        holder = budgets.Holder(run.tenant_id, holder_of(run), model)
        minutes = budgets.BACKFILL_MINUTES

        def work(tx: Connection[Any]) -> None:
            budgets.hold(tx, holder, amounts, limits=self._limits, minutes=minutes)

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


class _Bought:
    """What a provider gave for some chunks of a version."""

    def __init__(
        self,
        run: Run,
        model: str,
        vectors: Sequence[tuple[UUID, Sequence[float]]],
        refusals: Sequence[tuple[UUID, str]],
        input_tokens: int,
    ) -> None:
        self._run, self._model = run, model
        self._vectors, self._refusals = vectors, refusals
        self._input_tokens = input_tokens

    def write(self, tx: Connection[Any]) -> int:
        """Add rows for chunks that are there; return how many were new.

        Nothing is added to a document that was deleted or for a model that was retired: both locks
        are held until the commit. Only what added a row was bought for the first time; what is not
        kept was paid for all the same.
        """
        key = _usable(tx, self._run, self._model)
        added = None if key is None else self._add(tx, key)
        if added is None:
            self._record(tx, usage_id=self._purchase_id())
        elif added:
            self._record(tx, usage_id=None)
        fault_point("backfill.before_commit")
        return added or 0

    def _add(self, tx: Connection[Any], key: Key) -> int | None:
        """Return how many rows are new, None where the version has no chunks any more."""
        chunk_ids = self._chunk_ids()
        known = {row[0] for row in tx.execute(query("chunks_of_version"), key | _ids(chunk_ids))}
        if not known:
            return None
        if not known.issuperset(chunk_ids):
            raise ArtifactInvalid("vectors belong to no chunk of this version")
        return self._insert(tx, key)

    def _record(self, tx: Connection[Any], *, usage_id: UUID | None) -> None:
        tokens = self._input_tokens
        spent: Key = {"model": self._model, "input_tokens": tokens, "method": _METHOD}
        spent |= {"cost_usd": cost_of(self._model, input_tokens=tokens), "usage_id": usage_id}
        if tx.execute(query("record_usage"), key_of(self._run) | spent).rowcount:
            holder = budgets.Holder(self._run.tenant_id, holder_of(self._run), self._model)
            amounts = bought(self._model, input_tokens=tokens)
            budgets.settle(tx, holder, amounts, is_last=False)

    def _purchase_id(self) -> UUID:
        """Return the same for the same chunks: no row shows that a repetition is one."""
        chunk_ids = " ".join(map(str, sorted(self._chunk_ids())))
        return uuid5(holder_of(self._run), f"{self._model} {chunk_ids}")

    def _chunk_ids(self) -> list[UUID]:
        return [chunk_id for chunk_id, _ in (*self._vectors, *self._refusals)]

    def _insert(self, tx: Connection[Any], key: Key) -> int:
        added = 0
        if self._vectors:
            embeddings = [_half(vector) for _, vector in self._vectors]
            rows = key | _ids([i for i, _ in self._vectors]) | {"embeddings": embeddings}
            added += tx.execute(query("insert_embeddings"), rows).rowcount
        if self._refusals:
            codes = [code for _, code in self._refusals]
            rows = key | _ids([i for i, _ in self._refusals]) | {"codes": codes}
            added += tx.execute(query("insert_embedding_failures"), rows).rowcount
        return added


def _held(backfill: BackfillReference) -> Key:
    return {
        "tenant_id": backfill.tenant_id,
        "backfill_id": backfill.backfill_id,
        "holder": backfill.holder,
    }


def _hold(tx: Connection[Any], held: Key) -> Key:
    """Return what the backfill is about; raise FencedOut when another execution has it."""
    row = tx.execute(query("hold_backfill"), held).fetchone()
    if row is None:
        raise FencedOut("another execution has this backfill, or it has ended")
    return held | {"model": row[0], "collection_id": row[1]}


def _renew(
    defaults: StageDefaults, held: Key, after: str, tx: Connection[Any]
) -> tuple[list[UUID], str]:
    """Announce new versions of documents that would be made otherwise by now."""
    key = _hold(tx, held | {"position": ""}) | {
        "after": UUID(after) if after else UUID(int=0),
        "pipeline_revision": PIPELINE_REVISION,
    }
    rows = tx.execute(query("stale_documents"), key).fetchall()
    renewed = [row[0] for row in rows if _announce(tx, key, defaults, *row)]
    if renewed:
        event = {
            "actor": _ACTOR,
            "action": "reprocess_stale",
            "object": key["model"],
            "outcome": "DONE",
            "detail": Jsonb({"documents": len(renewed)}),
        }
        tx.execute(query("record_audit"), key | event)
    fault_point("backfill.renewing")
    return renewed, str(rows[-1][0]) if len(rows) == key["limit"] else ""


def _announce(
    tx: Connection[Any],
    key: Key,
    defaults: StageDefaults,
    document_id: UUID,
    profile: str,
    inherits_profile: bool,  # noqa: FBT001 -- a column
) -> bool:
    """Add a version of the published bytes unless one is on its way."""
    of_document = key | {"document_id": document_id}
    if value_of(tx, "open_version", of_document) is not None:
        return False
    chunking = Jsonb(defaults.chunking_of(profile, {})) if inherits_profile else None
    made = of_document | {"chunking": chunking, "inherits_profile": inherits_profile}
    version = value_of(tx, "add_reprocessed_version", made)
    tx.execute(query("count_version"), of_document | {"version": version})
    return True


def _next_page(held: Key, tx: Connection[Any]) -> LackingPage:
    key = _hold(tx, held)
    document_id, version, chunk_id = (held["position"] or _NOWHERE).split("/")
    place = {"document_id": UUID(document_id), "version": int(version), "chunk_id": UUID(chunk_id)}
    rows = tx.execute(query("chunks_to_backfill"), key | place).fetchall()
    after = "{}/{}/{}".format(*rows[-1][:3]) if len(rows) == key["limit"] else ""
    return LackingPage(key["model"], tuple(_by_version(key["tenant_id"], rows)), after)


def _by_version(
    tenant_id: UUID, rows: Iterable[tuple[UUID, int, UUID, bytes, str]]
) -> Iterable[LackingVersion]:
    for (document_id, version), chunks in groupby(rows, key=lambda row: row[:2]):
        items = tuple(BatchItem(*row[2:]) for row in chunks)
        yield LackingVersion(Run(tenant_id, document_id, version, 0), items)


def _usable(tx: Connection[Any], run: Run, model: str) -> Key | None:
    """Lock the document and the model for what is added; None when either is gone."""
    key = key_of(run) | {"model": model}
    if value_of(tx, "share_document", key) is None:
        return None
    model_id = value_of(tx, "use_model", key)
    return None if model_id is None else key | {"model_id": model_id}


def _lacking(run: Run, model: str, tx: Connection[Any]) -> tuple[BatchItem, ...]:
    rows = tx.execute(query("chunks_to_embed"), key_of(run) | {"model": model}).fetchall()
    return _reuse(run, model, tuple(BatchItem(*row[:3]) for row in rows), tx)


def _reuse(
    run: Run, model: str, items: Sequence[BatchItem], tx: Connection[Any]
) -> tuple[BatchItem, ...]:
    """Copy vectors of equal text or bytes; return what is left to buy, nothing for what is gone."""
    key = _usable(tx, run, model)
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


def _half(vector: Sequence[float]) -> HalfVector:
    try:
        return HalfVector(list(vector))
    except (ValueError, OverflowError) as error:
        raise ArtifactInvalid("a vector holds what is no 16-bit number") from error
