-- Vectors of one batch, in the order of their key; those already there stay.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, vector.chunk_id, %(model_id)s,
       vector.embedding
-- b, not s: as text the same rows go in at a third of the speed (1,200 against 3,300 a second).
FROM unnest(%(chunk_ids)s::uuid[], %(embeddings)b::halfvec[]) AS vector (chunk_id, embedding)
ORDER BY vector.chunk_id
ON CONFLICT DO NOTHING;
