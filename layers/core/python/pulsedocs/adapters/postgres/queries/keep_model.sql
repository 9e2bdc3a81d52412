-- Nothing; until the transaction ends, the collection stays with its model.
SELECT pg_advisory_xact_lock_shared(
    hashtextextended('pulsedocs.model of ' || collection_id::text, 0))
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
