-- Chunks that a provider refuses to embed; the keyword index still finds them.
INSERT INTO embedding_failure (tenant_id, document_id, version, chunk_id, model, code)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, refused.chunk_id, %(model)s, refused.code
FROM unnest(%(chunk_ids)s::uuid[], %(codes)s::text[]) AS refused (chunk_id, code)
ORDER BY refused.chunk_id
ON CONFLICT DO NOTHING;
