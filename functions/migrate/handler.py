"""Deployment: the database's pending migrations, before any other function is replaced."""

from pydantic import BaseModel

from pulsedocs.bootstrap import databases
from pulsedocs.edge.tasks import task
from pulsedocs.model.schema import SchemaReport
from pulsedocs.upkeep.migrate_schema import migrate_schema


class MigrateRequest(BaseModel):
    """A deployment has nothing to say: the migrations are part of the code."""


@task(MigrateRequest)
def handler(_request: MigrateRequest) -> SchemaReport:
    return migrate_schema(databases.schema())
