-- Which of these texts have a vector of a model somewhere in the tenant.
SELECT wanted.content_hash
FROM unnest(%(content_hashes)s::bytea[]) AS wanted (content_hash)
WHERE EXISTS (
    SELECT FROM document_chunk
    JOIN chunk_embedding USING (tenant_id, document_id, version, chunk_id)
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.content_hash = wanted.content_hash
        AND chunk_embedding.model_id = (
            SELECT model_id FROM stage_model WHERE model = %(model)s));
