-- What a deleted document was called: its collection and its source.
SELECT collection.name, document.source
FROM document
JOIN collection USING (tenant_id, collection_id)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NOT NULL;
