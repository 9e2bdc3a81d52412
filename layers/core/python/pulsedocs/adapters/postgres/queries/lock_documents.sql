-- Documents that exist, locked in the order of their ids.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[])
    AND deleted_at IS NULL
ORDER BY document_id
FOR UPDATE;
