-- One page of documents, oldest first, from a position in the listing on.
SELECT document.document_id
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version AS newest
    ON newest.tenant_id = document.tenant_id
    AND newest.document_id = document.document_id
    AND newest.version = document.latest_version
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND (%(collection)s::text IS NULL OR collection.name = %(collection)s)
    AND (%(state)s::text IS NULL OR %(state)s IN (newest.state, newest.outcome))
    AND (%(created_at)s::timestamptz IS NULL
         OR (document.created_at, document.document_id) > (%(created_at)s, %(document_id)s::uuid))
    AND {wanted}
ORDER BY document.created_at, document.document_id
LIMIT %(limit)s;
