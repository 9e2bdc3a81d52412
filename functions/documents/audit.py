"""Who did what in the tenant, for its operators."""

from functions.documents.api import api
from pulsedocs.bootstrap import databases
from pulsedocs.documents.read_documents import AuditListing, list_audit
from pulsedocs.edge.api import ADMIN, caller
from pulsedocs.edge.parameters import Cursor, PageSize


@api.on("GET /audit", ADMIN)
def audit(
    limit: PageSize = 50,
    cursor: Cursor = None,
) -> AuditListing:
    """List who did what to models, migrations, budgets, profiles and documents, newest first."""
    tenant_id = caller(api).tenant_id
    return list_audit(tenant_id, trail=databases.audit_trail(), cursor=cursor, limit=limit)
