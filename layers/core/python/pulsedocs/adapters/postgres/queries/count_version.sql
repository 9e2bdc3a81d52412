-- The document's number of versions after one was added.
UPDATE document
SET latest_version = %(version)s, updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
