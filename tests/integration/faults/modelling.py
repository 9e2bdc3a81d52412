"""The state machine of models in process: what it calls, in its order, over a world."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from pulsedocs.adapters.postgres.embedding_models.backfills import PostgresBackfillStore
from pulsedocs.adapters.postgres.embedding_models.model_migrations import PostgresMigrationStore
from pulsedocs.adapters.postgres.embedding_models.models import PostgresModelStore
from pulsedocs.adapters.postgres.embedding_models.retirements import PostgresRetirementStore
from pulsedocs.embedding_models.backfill_model import (
    BackfillBatch,
    NextBatches,
    begin_backfill,
    end_backfill,
    fail_execution,
    hand_over,
    next_batches,
    renew_stale,
    store_more_vectors,
)
from pulsedocs.embedding_models.migrate_collection import start_migration
from pulsedocs.embedding_models.register_model import register_model, request_backfill, retire_model
from pulsedocs.embedding_models.remove_model import Removed, remove_model
from pulsedocs.errors import RetryableError
from pulsedocs.ingestion.embed_batch import embed_batch
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddingBatchReference
from pulsedocs.model.models import ModelCoverage, ModelReference
from pulsedocs.model.object_keys import probe_of
from tests.integration.faults.world import ACTOR, World
from tests.integration.ingestion.pipeline import BATCH_SIZE, CountingEmbedder, Crash, retried

OLD: Final = "memory:hashing@384"
NEW: Final = "memory:hashing@64"


@dataclass
class Modelling:
    """What people ask about models, and what the platform does then."""

    world: World
    embedder: CountingEmbedder = field(default_factory=lambda: CountingEmbedder(64))

    def __post_init__(self) -> None:
        connections = self.world.connections
        self.models = PostgresModelStore(connections.api)
        self.migrations = PostgresMigrationStore(connections.api)
        self.backfills = PostgresBackfillStore(connections.ingest)
        self.retirements = PostgresRetirementStore(connections.sweep, rows_at_once=2)

    @property
    def tenant(self) -> UUID:
        return self.world.tenant

    # ------------------------------------------------------------------------- what people ask for

    def register(self, model: str = NEW) -> None:
        register_model(
            self.tenant, model, actor=ACTOR, models=self.models, objects=self.world.objects
        )
        for key in self.world.objects.keys("control/probe/"):
            self.backfills.record_probe(ModelReference(*probe_of(key)), None, name=model)
            self.world.objects.remove(key)

    def ask(self, model: str = NEW, collection: str | None = None) -> None:
        request_backfill(
            self.tenant,
            model,
            collection=collection,
            actor=ACTOR,
            models=self.models,
            objects=self.world.objects,
        )

    def try_out(self, model: str = NEW) -> None:
        start_migration(
            self.tenant,
            "default",
            model,
            actor=ACTOR,
            migrations=self.migrations,
            objects=self.world.objects,
        )

    def promote(self) -> None:
        self.migrations.promote(self.tenant, "default", actor=ACTOR)

    def retire(self, model: str) -> None:
        retire_model(
            self.tenant, model, actor=ACTOR, models=self.models, objects=self.world.objects
        )

    def coverage(self, model: str = NEW) -> ModelCoverage:
        return self.models.coverage(self.tenant, model)

    # ---------------------------------------------------------------------- what the platform does

    def take_control(self, execute: Callable[[str], None] | None = None) -> None:
        """Do what control objects ask about models, until none is left."""
        while keys := self.world.objects.keys("control/backfill/"):
            for key in keys:
                self.world.objects.remove(key)
                (execute or self.execute)(key)

    def execute(self, key: str) -> None:
        """Run one execution to its end; each step is tried again, as the machine does."""
        self._run(key, self.world.pipeline.new_execution(), retried)

    def execute_once(self, key: str) -> None:
        """Run one execution that dies where it is struck; a rule hears of it, a person asks again.

        The person's request can also find the backfill finished: its answer alone was lost.
        """
        execution = self.world.pipeline.new_execution()
        try:
            self._run(key, execution, _once)
        except (Crash, RetryableError):
            fail_execution(key, execution=execution, status="ABORTED", store=self.backfills)
            self.ask()

    def remove(self) -> list[Removed]:
        done: list[Removed] = []
        for key in self.world.objects.keys("control/retire/"):
            done.append(
                retried(
                    lambda key=key: remove_model(
                        key,
                        store=self.retirements,
                        objects=self.world.objects,
                        deadline=Deadline.after(60),
                    )
                )
            )
            self.world.objects.remove(key)
        return done

    def _run(self, key: str, execution: str, do: Callable[..., Any]) -> None:
        objects, store = self.world.objects, self.backfills
        begun = do(lambda: begin_backfill(key, execution=execution, store=store))
        if not begun.work:
            return
        if not begun.after:  # an execution that goes on has no more stale documents to look for
            do(lambda: renew_stale(begun, stale="", store=store, objects=objects))
        after, pages, goes_on = begun.after, begun.pages, "PAGE"
        while goes_on == "PAGE":
            page = do(lambda a=after, p=pages: self._page(begun.backfill, a, p))
            for batch in page.batches:
                key = do(lambda batch=batch: self._embed(batch))
                do(lambda b=batch, key=key, model=page.model: self._store(b, key, model))
            after, pages, goes_on = page.after, page.pages, page.next
        if goes_on == "EXECUTION":
            do(lambda: hand_over(begun.backfill, store=store, objects=objects))
        else:
            do(lambda: end_backfill(begun.backfill, store=store))

    def _page(self, backfill: Any, after: str, pages: int) -> NextBatches:
        return next_batches(
            backfill,
            after=after,
            pages=pages,
            store=self.backfills,
            objects=self.world.objects,
            batch_size=BATCH_SIZE,
        )

    def _embed(self, batch: BackfillBatch) -> str:
        written = embed_batch(
            batch.run,
            EmbeddingBatchReference(0, batch.hash),
            objects=self.world.objects,
            embedder=self.embedder,
            deadline=Deadline.after(60),
        )
        return written.vectors_key

    def _store(self, batch: BackfillBatch, key: str, model: str) -> None:
        store_more_vectors(
            batch.run,
            model=model,
            vectors_key=key,
            objects=self.world.objects,
            store=self.backfills,
        )

    # --------------------------------------------------------------------------- what came of it

    def vectors(self, model: str = NEW) -> list[tuple[str, str]]:
        """Return what the model has, in terms that are equal in two tenants."""
        rows = self.world.admin.execute(
            "SELECT encode(content_hash, 'hex'), embedding::text FROM chunk_embedding"
            " JOIN document_chunk USING (tenant_id, document_id, version, chunk_id)"
            " JOIN stage_model USING (model_id) WHERE tenant_id = %s AND model = %s ORDER BY 1, 2",
            [self.tenant, model],
        )
        return [(row[0], row[1]) for row in rows]

    def books(self) -> tuple[int, int]:
        """Return how many entries the books have of backfills, and how many tokens."""
        row = self.world.admin.execute(
            "SELECT count(*), coalesce(sum(input_tokens), 0) FROM usage"
            " WHERE tenant_id = %s AND method = 'backfill'",
            [self.tenant],
        ).fetchone()
        assert row is not None
        return row[0], int(row[1])


def _once(step: Callable[[], Any]) -> Any:
    return step()
