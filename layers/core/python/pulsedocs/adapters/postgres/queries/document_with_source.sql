-- The document that a source names in a collection, locked.
SELECT document_id, collection_id, latest_version, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND source = %(source)s
    AND deleted_at IS NULL
FOR UPDATE;
