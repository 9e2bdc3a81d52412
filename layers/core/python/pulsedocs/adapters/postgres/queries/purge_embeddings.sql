-- Some of the vectors of a deleted document.
DELETE FROM chunk_embedding
WHERE (tenant_id, document_id, version, chunk_id, model_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id, part.model_id
    FROM chunk_embedding AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);
