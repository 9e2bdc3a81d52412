-- The documents an update is about, locked in the order of their ids: old ones and new ones.
SELECT document.document_id,
       document.document_id = ANY(%(new_ids)s::uuid[]) AS is_new,
       document.metadata,
       document.published_version,
       (SELECT count(*) FROM document_chunk
        WHERE document_chunk.tenant_id = document.tenant_id
            AND document_chunk.document_id = document.document_id
            AND document_chunk.version = document.published_version) AS chunks
FROM document
JOIN collection USING (tenant_id, collection_id)
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND (document.document_id = ANY(%(new_ids)s::uuid[])
         OR %(has_targets)s
            AND (%(collection)s::text IS NULL OR collection.name = %(collection)s)
            AND (NOT %(keeps_standalone)s
                 OR document.metadata -> 'is_standalone' IS DISTINCT FROM 'true'::jsonb)
            AND {wanted})
ORDER BY document.document_id
LIMIT %(limit)s
FOR UPDATE OF document;
