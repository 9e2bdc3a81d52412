-- The documents of a collection, locked in the order of their ids.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND deleted_at IS NULL
ORDER BY document_id
FOR UPDATE;
