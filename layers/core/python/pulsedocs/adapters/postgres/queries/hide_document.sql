-- A document without a published version.
UPDATE document
SET published_version = NULL, published_at = NULL, updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
