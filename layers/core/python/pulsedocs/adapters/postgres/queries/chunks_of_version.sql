-- Which of these ids are chunks of one version.
SELECT chunk_id
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND chunk_id = ANY(%(chunk_ids)s::uuid[]);
