"""Who did what in the tenant, for its operators."""

from typing import Annotated

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.documents.read_documents import AuditListing, list_audit
from pulsedocs.edge.api import ADMIN, Query, caller


@api.on("GET /audit", ADMIN)
def audit(
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> AuditListing:
    """List who did what to models, migrations, budgets, profiles and documents, newest first."""
    tenant_id = caller(api).tenant_id
    return list_audit(tenant_id, trail=databases.audit_trail(), cursor=cursor, limit=limit)
