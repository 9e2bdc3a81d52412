-- Documents that no query finds from now on, and whose sources are free.
UPDATE document
SET deleted_at = clock_timestamp(),
    updated_at = clock_timestamp(),
    published_version = NULL,
    published_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[]);
