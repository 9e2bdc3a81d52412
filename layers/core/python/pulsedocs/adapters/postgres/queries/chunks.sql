-- Chunks of the published version, else of the newest, with the vector they are searched by.
SELECT document_chunk.chunk_id,
       document_chunk.text AS content,
       document_chunk.chunk_index,
       document_version.chunk_count AS total_chunks,
       document_chunk.spans,
       document_chunk.section,
       document_chunk.tokens,
       document_chunk.characters,
       document_chunk.profile,
       document_chunk.method,
       document_chunk.parameters,
       document_chunk.context_before,
       document_chunk.context_after,
       document_chunk.flags,
       document_chunk.created_at,
       document.source,
       document.metadata,
       collection.active_model,
       vector_dims(chunk_embedding.embedding) AS embedding_dimensions
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = coalesce(document.published_version, document.latest_version)
JOIN document_chunk
    ON document_chunk.tenant_id = document_version.tenant_id
    AND document_chunk.document_id = document_version.document_id
    AND document_chunk.version = document_version.version
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = document_chunk.tenant_id
    AND chunk_embedding.document_id = document_chunk.document_id
    AND chunk_embedding.version = document_chunk.version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = (
        SELECT model_id FROM stage_model WHERE model = collection.active_model)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL
    AND document_chunk.chunk_index > %(after)s
ORDER BY document_chunk.chunk_index
LIMIT %(limit)s;
