"""The stores in PostgreSQL, by flow, over one connection an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulsedocs.bootstrap import closing, once, required, settings, text
from pulsedocs.model.budgets import Limits, microdollars

if TYPE_CHECKING:
    from collections.abc import Callable

    from pulsedocs.adapters.postgres.connection import Database
    from pulsedocs.batches.ports import BatchStore
    from pulsedocs.deletion.ports import PurgeStore
    from pulsedocs.documents.ports import (
        AuditTrail,
        BudgetStore,
        CollectionStore,
        DocumentCatalogue,
        DocumentChanges,
        DocumentOperations,
        ProfileStore,
        UsageLedger,
    )
    from pulsedocs.embedding_models.ports import (
        BackfillStore,
        MigrationStore,
        ModelStore,
        RetirementStore,
    )
    from pulsedocs.ingestion.ports import IngestionStore
    from pulsedocs.questions.ports import ConversationStore, FeedbackStore, RetrievalDatabase
    from pulsedocs.upkeep.ports import HistoryStore, Schema, SweepStore, VectorIndexes


@once
def ingestion_store() -> IngestionStore:
    from pulsedocs.adapters.postgres.ingestion.ingestion import PostgresIngestionStore

    return PostgresIngestionStore(
        _database(),
        default_model=settings().embedding_model,
        defaults=settings().defaults,
        limits=budget_limits(),
    )


@once
def batch_store() -> BatchStore:
    from pulsedocs.adapters.postgres.batches.batches import PostgresBatchStore

    return PostgresBatchStore(_database())


@once
def document_catalogue() -> DocumentCatalogue:
    from pulsedocs.adapters.postgres.documents.catalogue import PostgresDocumentCatalogue

    return PostgresDocumentCatalogue(_database(), defaults=settings().defaults)


@once
def document_changes() -> DocumentChanges:
    from pulsedocs.adapters.postgres.documents.updates import PostgresDocumentChanges

    return PostgresDocumentChanges(_database(), defaults=settings().defaults)


@once
def document_operations() -> DocumentOperations:
    from pulsedocs.adapters.postgres.documents.operations import PostgresDocumentOperations

    return PostgresDocumentOperations(_database())


@once
def collection_store() -> CollectionStore:
    from pulsedocs.adapters.postgres.documents.collections import PostgresCollectionStore

    return PostgresCollectionStore(_database())


@once
def profile_store() -> ProfileStore:
    from pulsedocs.adapters.postgres.documents.profiles import PostgresProfileStore

    return PostgresProfileStore(_database())


@once
def audit_trail() -> AuditTrail:
    from pulsedocs.adapters.postgres.documents.audits import PostgresAuditTrail

    return PostgresAuditTrail(_database())


@once
def usage_ledger() -> UsageLedger:
    from pulsedocs.adapters.postgres.documents.usage import PostgresUsageLedger

    return PostgresUsageLedger(_database())


@once
def budget_store() -> BudgetStore:
    from pulsedocs.adapters.postgres.budgets import PostgresBudgetStore

    return PostgresBudgetStore(_database(), limits=budget_limits())


def budget_limits() -> Limits:
    """Return what tenants without a budget of their own may take in a day."""
    chosen = settings()
    dollars = chosen.budget_usd_per_day
    return Limits(
        pages=chosen.budget_pages_per_day,
        tokens=chosen.budget_tokens_per_day,
        microdollars=None if dollars is None else microdollars(dollars),
    )


@once
def model_store() -> ModelStore:
    from pulsedocs.adapters.postgres.embedding_models.models import PostgresModelStore

    return PostgresModelStore(_database())


@once
def migration_store() -> MigrationStore:
    from pulsedocs.adapters.postgres.embedding_models.model_migrations import PostgresMigrationStore

    return PostgresMigrationStore(_database())


@once
def backfill_store() -> BackfillStore:
    from pulsedocs.adapters.postgres.embedding_models.backfills import PostgresBackfillStore

    return PostgresBackfillStore(_database(), limits=budget_limits(), defaults=settings().defaults)


@once
def retirement_store() -> RetirementStore:
    from pulsedocs.adapters.postgres.embedding_models.retirements import PostgresRetirementStore

    return PostgresRetirementStore(_database())


@once
def retrieval_store() -> RetrievalDatabase:
    from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore

    return PostgresRetrievalStore(
        _database(), conversation_days=settings().conversation_days, limits=budget_limits()
    )


@once
def conversation_store() -> ConversationStore:
    from pulsedocs.adapters.postgres.questions.conversations import PostgresConversationStore

    return PostgresConversationStore(_database())


@once
def feedback_store() -> FeedbackStore:
    from pulsedocs.adapters.postgres.questions.feedback import PostgresFeedbackStore

    return PostgresFeedbackStore(_database())


@once
def purge_store() -> PurgeStore:
    from pulsedocs.adapters.postgres.deletion.purges import PostgresPurgeStore

    return PostgresPurgeStore(_database())


@once
def sweep_store() -> SweepStore:
    from pulsedocs.adapters.postgres.upkeep.sweeps import PostgresSweepStore

    return PostgresSweepStore(_database())


@once
def history_store() -> HistoryStore:
    from pulsedocs.adapters.postgres.upkeep.history import PostgresHistoryStore

    chosen = settings()
    return PostgresHistoryStore(_database(), days=chosen.history_days, kept=chosen.kept_versions)


@once
def schema() -> Schema:
    from pulsedocs.adapters.postgres.upkeep.schema import PostgresSchema

    return PostgresSchema(_database_url(), password=_database_password())


@once
def vector_indexes() -> VectorIndexes:
    from pulsedocs.adapters.postgres.upkeep.vector_indexes import PostgresVectorIndexes

    return PostgresVectorIndexes(_database_url(), password=_database_password())


@once
def _database() -> Database:
    from pulsedocs.adapters.postgres.connection import Database

    return closing(Database(_database_url(), password=_database_password()))


def _database_url() -> str:
    return required("DATABASE_URL", text(settings().database_url))


def _database_password() -> Callable[[], str] | None:
    """Return what makes a password for each connection, or None where the address has one."""
    url = settings().database_url
    if url is None or settings().database_auth == "url":
        return None
    from pulsedocs.adapters.aws.database_tokens import DatabaseTokens

    [host] = url.hosts()
    return DatabaseTokens(
        host=host["host"] or "",
        port=host["port"] or 5432,
        role=host["username"] or "",
        region=settings().aws_region,
    )
