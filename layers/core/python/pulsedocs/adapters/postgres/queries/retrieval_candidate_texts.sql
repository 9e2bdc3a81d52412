-- The texts of the asked chunks.
SELECT document_chunk.chunk_id, document_chunk.text
FROM unnest(%(documents)s::uuid[], %(versions)s::integer[], %(chunks)s::uuid[])
    AS asked (document_id, version, chunk_id)
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = asked.document_id
    AND document_chunk.version = asked.version
    AND document_chunk.chunk_id = asked.chunk_id
JOIN document
    ON document.tenant_id = document_chunk.tenant_id
    AND document.document_id = document_chunk.document_id
    AND document.deleted_at IS NULL;
