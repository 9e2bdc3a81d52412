-- A document by its id, locked.
SELECT document_id, collection_id, latest_version, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE;
