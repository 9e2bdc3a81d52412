-- Chunks of one version, in the order of their key.
INSERT INTO document_chunk (
    tenant_id, document_id, version, chunk_id, chunk_index, text, page_start, page_end, spans,
    section, tokens, characters, profile, method, parameters, flags, chunk_hash, content_hash,
    context_before, context_after)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, chunk_id, chunk_index, text, page_start,
       page_end, spans, section, tokens, length(text), profile, method, parameters, flags,
       chunk_hash, content_hash, context_before, context_after
FROM json_to_recordset(%(chunks)s) AS chunk (
    chunk_id uuid, chunk_index integer, text text, page_start integer, page_end integer,
    spans jsonb, section text[], tokens integer, profile text, method text, parameters jsonb,
    flags text[], chunk_hash bytea, content_hash bytea, context_before text, context_after text)
ORDER BY chunk_id;
