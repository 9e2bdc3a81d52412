-- The chunks of the scope nearest to a vector. With the distance as the index has it, alone in
-- ORDER BY, PostgreSQL may use HNSW; in any other form it reads every vector of the scope.
SELECT chunk_embedding.document_id,
       chunk_embedding.version,
       chunk_embedding.chunk_id,
       1 - ({distance}) AS score
FROM chunk_embedding
JOIN document
    ON document.tenant_id = chunk_embedding.tenant_id
    AND document.document_id = chunk_embedding.document_id
    AND document.published_version = chunk_embedding.version
WHERE chunk_embedding.tenant_id = %(tenant_id)s
    AND chunk_embedding.model_id = %(model_id)s
    AND document.collection_id = ANY(%(collections)s)
    AND {wanted}
ORDER BY {distance} {tie}
LIMIT %(limit)s
