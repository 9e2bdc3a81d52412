-- Published chunks that have vectors of two models, spread over a collection, always the same ones.
SELECT document_chunk.chunk_id, old.embedding AS from_vector, new.embedding AS to_vector
FROM document
JOIN document_chunk
    ON document_chunk.tenant_id = document.tenant_id
    AND document_chunk.document_id = document.document_id
    AND document_chunk.version = document.published_version
JOIN chunk_embedding AS old
    ON old.tenant_id = document_chunk.tenant_id
    AND old.document_id = document_chunk.document_id
    AND old.version = document_chunk.version
    AND old.chunk_id = document_chunk.chunk_id
    AND old.model_id = (SELECT model_id FROM stage_model WHERE model = %(from_model)s)
JOIN chunk_embedding AS new
    ON new.tenant_id = document_chunk.tenant_id
    AND new.document_id = document_chunk.document_id
    AND new.version = document_chunk.version
    AND new.chunk_id = document_chunk.chunk_id
    AND new.model_id = (SELECT model_id FROM stage_model WHERE model = %(to_model)s)
WHERE document.tenant_id = %(tenant_id)s AND document.collection_id = %(collection_id)s
    AND document.deleted_at IS NULL
ORDER BY document_chunk.chunk_hash, document_chunk.chunk_id
LIMIT %(limit)s;
