-- Some of the chunks of a deleted document, with what hangs on them.
DELETE FROM document_chunk
WHERE (tenant_id, document_id, version, chunk_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id
    FROM document_chunk AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);
