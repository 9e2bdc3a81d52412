"""Bring the database to the schema of this version, before any function of it is deployed."""

from pulsedocs.model.schema import SchemaReport
from pulsedocs.upkeep.ports import Schema


def migrate_schema(schema: Schema) -> SchemaReport:
    """Check first, change next, let the application in last. Nothing is left to do twice."""
    pgvector = schema.vector_version()
    applied = schema.apply_pending()
    return SchemaReport(pgvector=pgvector, applied=applied, signing_in=schema.let_roles_sign_in())
