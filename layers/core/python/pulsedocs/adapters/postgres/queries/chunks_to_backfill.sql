-- Chunks, published or held, that lack a model's vector, in the order of their key.
SELECT document_chunk.document_id, document_chunk.version, document_chunk.chunk_id,
       document_chunk.content_hash,
       concat_ws(E'\n', document_chunk.context_before, document_chunk.text,
                 document_chunk.context_after)
FROM document
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND (document_version.version = document.published_version
         OR document_version.outcome IS NULL AND document_version.state = 'EMBEDDED')
JOIN document_chunk
    ON document_chunk.tenant_id = document_version.tenant_id
    AND document_chunk.document_id = document_version.document_id
    AND document_chunk.version = document_version.version
WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
    AND document.document_id >= %(document_id)s
    AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
    AND (document_chunk.document_id, document_chunk.version, document_chunk.chunk_id)
        > (%(document_id)s, %(version)s, %(chunk_id)s)
    AND NOT EXISTS (
        SELECT FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = document_chunk.tenant_id
            AND chunk_embedding.document_id = document_chunk.document_id
            AND chunk_embedding.version = document_chunk.version
            AND chunk_embedding.chunk_id = document_chunk.chunk_id
            AND chunk_embedding.model_id = (
                SELECT model_id FROM stage_model WHERE model = %(model)s))
    AND NOT EXISTS (
        SELECT FROM embedding_failure
        WHERE embedding_failure.tenant_id = document_chunk.tenant_id
            AND embedding_failure.document_id = document_chunk.document_id
            AND embedding_failure.version = document_chunk.version
            AND embedding_failure.chunk_id = document_chunk.chunk_id
            AND embedding_failure.model = %(model)s)
ORDER BY document_chunk.document_id, document_chunk.version, document_chunk.chunk_id
LIMIT %(limit)s;
