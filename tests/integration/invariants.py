"""The invariants as queries: each returns the rows that break it (RELIABILITY, section 3)."""

from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection

_CHECKS: Final[dict[str, LiteralString]] = {
    "I1 the newest accepted upload is the published one": """
        SELECT document_id FROM document
        WHERE tenant_id = %(tenant)s AND published_version IS NOT NULL
          AND (SELECT sequencer FROM document_version AS v
               WHERE (v.tenant_id, v.document_id, v.version)
                   = (document.tenant_id, document.document_id, document.published_version))
            < (SELECT max(sequencer) FROM document_version AS v
               WHERE (v.tenant_id, v.document_id) = (document.tenant_id, document.document_id)
                 AND outcome IN ('PUBLISHED', 'SUPERSEDED'))
    """,
    "I2 one published version at most, and the pointer names it": """
        SELECT document_id FROM document_version
        JOIN document USING (tenant_id, document_id)
        WHERE tenant_id = %(tenant)s
          AND (outcome = 'PUBLISHED') <> (version IS NOT DISTINCT FROM published_version)
    """,
    "I4 the state is that of the last step in the ledger": """
        SELECT document_id FROM document_version AS v
        WHERE tenant_id = %(tenant)s AND outcome = 'PUBLISHED'
          AND (SELECT count(DISTINCT step) FROM step_ledger AS l
               WHERE (l.tenant_id, l.document_id, l.version)
                   = (v.tenant_id, v.document_id, v.version)
                 AND step IN ('store', 'clean', 'chunk', 'publish')) <> 4
    """,
    "I6 every published chunk has one vector or one refusal": """
        SELECT c.chunk_id FROM document_chunk AS c
        JOIN document AS d USING (tenant_id, document_id)
        JOIN collection USING (tenant_id, collection_id)
        JOIN stage_model ON stage_model.model = collection.active_model
        WHERE c.tenant_id = %(tenant)s AND c.version = d.published_version
          AND (SELECT count(*) FROM chunk_embedding AS e
               WHERE (e.tenant_id, e.document_id, e.version, e.chunk_id, e.model_id)
                   = (c.tenant_id, c.document_id, c.version, c.chunk_id, stage_model.model_id))
            + (SELECT count(*) FROM embedding_failure AS f
               WHERE (f.tenant_id, f.document_id, f.version, f.chunk_id, f.model)
                   = (c.tenant_id, c.document_id, c.version, c.chunk_id, collection.active_model))
            <> 1
    """,
    "I7 every received version ended, and holds no lease": """
        SELECT document_id FROM document_version
        WHERE tenant_id = %(tenant)s AND received_at IS NOT NULL AND NOT hold
          AND (outcome IS NULL OR lease_until IS NOT NULL)
    """,
}


def violations(connection: Connection[Any], tenant_id: UUID) -> list[str]:
    """Return the names of the invariants that a tenant's rows break, once everything has ended."""
    return [
        name
        for name, statement in _CHECKS.items()
        if connection.execute(statement, {"tenant": tenant_id}).fetchone()
    ]
