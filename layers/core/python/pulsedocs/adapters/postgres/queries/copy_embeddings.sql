-- Vectors of equal text, from any version of the tenant, for chunks that have none.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT mine.tenant_id, mine.document_id, mine.version, mine.chunk_id, %(model_id)s,
       known.embedding
FROM document_chunk AS mine
CROSS JOIN LATERAL (
    SELECT chunk_embedding.embedding
    FROM document_chunk AS twin
    JOIN chunk_embedding
        ON chunk_embedding.tenant_id = twin.tenant_id
        AND chunk_embedding.document_id = twin.document_id
        AND chunk_embedding.version = twin.version
        AND chunk_embedding.chunk_id = twin.chunk_id
        AND chunk_embedding.model_id = %(model_id)s
    WHERE twin.tenant_id = mine.tenant_id AND twin.content_hash = mine.content_hash
    LIMIT 1
) AS known
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s
    AND mine.chunk_id = ANY(%(chunk_ids)s::uuid[])
ORDER BY mine.chunk_id
ON CONFLICT DO NOTHING;
