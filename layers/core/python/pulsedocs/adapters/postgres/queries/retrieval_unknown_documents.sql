-- The asked document ids that are no document of these collections.
SELECT asked.document_id
FROM unnest(%(document_ids)s::uuid[]) AS asked (document_id)
LEFT JOIN document
    ON document.tenant_id = %(tenant_id)s
    AND document.document_id = asked.document_id
    AND document.collection_id = ANY(%(collections)s)
    AND document.deleted_at IS NULL
WHERE document.document_id IS NULL
ORDER BY asked.document_id;
