"""Who did what in the tenant, for its operators."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.documents.read_documents import list_audit
from pulsedocs.edge.api import ADMIN, Query, caller
from pulsedocs.edge.tasks import to_json


class AuditEventView(BaseModel):
    """`actor` is a token's subject, or the part of the stage that did it by itself."""

    event_id: UUID
    at: datetime
    actor: str
    action: str
    object: str
    outcome: str
    detail: dict[str, Any]


class AuditView(BaseModel):
    events: list[AuditEventView]
    cursor: str | None


@api.on("GET /audit", ADMIN)
def audit(
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> AuditView:
    """List who did what to models, migrations, budgets, profiles and documents, newest first."""
    tenant_id = caller(api).tenant_id
    found = list_audit(tenant_id, trail=databases.audit_trail(), cursor=cursor, limit=limit)
    return AuditView.model_validate(to_json(found))
