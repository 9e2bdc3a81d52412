"""What a deployment did to the schema of its database."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """Empty `applied` means that there was nothing left to do."""

    pgvector: str
    applied: tuple[str, ...]
    """Migrations that ran now, in order."""
    signing_in: tuple[str, ...]
    """Roles that sign in by IAM token; none where the database knows no tokens."""
