"""Try another model beside the one that a collection is searched by, then choose."""

from contextlib import suppress
from dataclasses import dataclass
from statistics import mean
from typing import Final
from uuid import UUID

from pulsedocs.embedding import parse_model_name
from pulsedocs.embedding_models.ports import MigrationStore, ModelStore
from pulsedocs.embedding_models.register_model import ask_for_backfill
from pulsedocs.errors import PulseDocsError
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.models import Backfill, ModelCoverage, ModelMigration, SampledChunk
from pulsedocs.model.retrieval import CandidateQuery, Leg, Scope
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.questions.ports import RetrievalStore

SAMPLED_CHUNKS: Final = 20
NEIGHBOURS: Final = 10


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """How alike two models order a collection, asked with its own chunks.

    `overlap` is the share of a chunk's ten nearest others that both models name, on average;
    `lowest` that of the chunk they agree on least. It says how much would change, not which model
    is better: that takes questions with known answers.
    """

    sampled_chunks: int
    neighbours: int
    overlap: float
    lowest: float


@dataclass(frozen=True, slots=True)
class MigrationProgress:
    migration: ModelMigration
    from_coverage: ModelCoverage
    to_coverage: ModelCoverage
    backfill: Backfill | None
    comparison: ModelComparison | None


def start_migration(
    tenant_id: UUID,
    collection: str,
    to_model: str,
    *,
    actor: str,
    migrations: MigrationStore,
    objects: ObjectStore,
) -> ModelMigration:
    """Try a model in a collection: what is there is filled in, what comes is embedded for both."""
    parse_model_name(to_model)
    migration, backfill_id = migrations.start(tenant_id, collection, to_model, actor=actor)
    ask_for_backfill(tenant_id, backfill_id, objects=objects)
    return migration


def show_migration(
    tenant_id: UUID,
    collection: str,
    *,
    migrations: MigrationStore,
    models: ModelStore,
    retrieval: RetrievalStore,
    deadline: Deadline,
) -> MigrationProgress:
    migration = migrations.migration(tenant_id, collection)
    asked = models.backfills(tenant_id, migration.to_model, collection=collection)
    return MigrationProgress(
        migration,
        models.coverage(tenant_id, migration.from_model, collection=collection),
        models.coverage(tenant_id, migration.to_model, collection=collection),
        asked[0] if asked else None,
        _comparison(
            tenant_id, migration, migrations=migrations, retrieval=retrieval, deadline=deadline
        ),
    )


def _comparison(
    tenant_id: UUID,
    migration: ModelMigration,
    *,
    migrations: MigrationStore,
    retrieval: RetrievalStore,
    deadline: Deadline,
) -> ModelComparison | None:
    """Compare as far as time allows; None where there is nothing to compare with."""
    scope = Scope(tenant_id, (migration.collection,))
    shares: list[float] = []
    # The numbers so far are true; a slow database must not hide the progress.
    with suppress(PulseDocsError):
        for chunk in migrations.sample(tenant_id, migration, limit=SAMPLED_CHUNKS):
            if deadline.remaining() <= 0:
                break
            share = _shared(scope, migration, chunk, retrieval=retrieval)
            if share is not None:
                shares.append(share)
    if not shares:
        return None
    return ModelComparison(len(shares), NEIGHBOURS, round(mean(shares), 4), round(min(shares), 4))


def _shared(
    scope: Scope, migration: ModelMigration, chunk: SampledChunk, *, retrieval: RetrievalStore
) -> float | None:
    ours = _nearest(scope, migration.from_model, chunk.chunk_id, chunk.from_vector, retrieval)
    theirs = _nearest(scope, migration.to_model, chunk.chunk_id, chunk.to_vector, retrieval)
    most = max(len(ours), len(theirs))
    return len(ours & theirs) / most if most else None


def _nearest(
    scope: Scope,
    model: str,
    chunk_id: UUID,
    vector: tuple[float, ...],
    retrieval: RetrievalStore,
) -> set[UUID]:
    asked = CandidateQuery(
        scope=scope,
        model=model,
        dimensions=parse_model_name(model).dimensions,
        vectors={Leg.VECTOR: vector},
        words=None,
        vector_candidates=NEIGHBOURS + 1,
        keyword_candidates=0,
    )
    found = [candidate.chunk_id for candidate in retrieval.search(asked).candidates]
    return set([each for each in found if each != chunk_id][:NEIGHBOURS])
