-- Documents with other metadata.
UPDATE document
SET metadata = changed.metadata, updated_at = clock_timestamp()
FROM unnest(%(document_ids)s::uuid[], %(metadata)s::jsonb[]) AS changed (document_id, metadata)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = changed.document_id;
