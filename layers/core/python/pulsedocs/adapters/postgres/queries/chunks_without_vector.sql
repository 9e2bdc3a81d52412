-- How many chunks of a version have neither a vector of a model nor a recorded refusal.
SELECT count(*) FILTER (WHERE is_missing) AS missing, count(*) AS total
FROM (
    SELECT NOT EXISTS (
        SELECT FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = document_chunk.tenant_id
            AND chunk_embedding.document_id = document_chunk.document_id
            AND chunk_embedding.version = document_chunk.version
            AND chunk_embedding.chunk_id = document_chunk.chunk_id
            AND chunk_embedding.model_id = %(model_id)s
    ) AND NOT EXISTS (
        SELECT FROM embedding_failure
        WHERE embedding_failure.tenant_id = document_chunk.tenant_id
            AND embedding_failure.document_id = document_chunk.document_id
            AND embedding_failure.version = document_chunk.version
            AND embedding_failure.chunk_id = document_chunk.chunk_id
            AND embedding_failure.model = %(model)s
    ) AS is_missing
    FROM document_chunk
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
) AS chunk;
