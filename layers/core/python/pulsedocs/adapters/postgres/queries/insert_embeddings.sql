-- Vectors of one batch, in the order of their key; those already there stay.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, vector.chunk_id, %(model_id)s,
       vector.embedding
FROM unnest(%(chunk_ids)s::uuid[], %(embeddings)s::halfvec[]) AS vector (chunk_id, embedding)
ORDER BY vector.chunk_id
ON CONFLICT DO NOTHING;
