-- Chunks of a version that still wait for a vector, and the first batch number never recorded.
SELECT chunk_id, content_hash, concat_ws(E'\n', context_before, text, context_after), (
    SELECT coalesce(max(batch) + 1, 0)
    FROM step_ledger
    WHERE step_ledger.tenant_id = %(tenant_id)s AND step_ledger.document_id = %(document_id)s
        AND step_ledger.version = %(version)s AND step = 'embed'
) AS next_batch
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
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
ORDER BY chunk_index;
