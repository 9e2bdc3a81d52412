-- What a leg found, ranked, with all that selection needs; `similarity` is the cosine to the
-- question's own vector, whichever leg found the chunk.
WITH found AS MATERIALIZED (
    {found}
)
SELECT row_number() OVER (ORDER BY found.score DESC, found.chunk_id)::integer AS rank,
       found.score::double precision AS score,
       found.chunk_id,
       found.document_id,
       found.version,
       document_chunk.chunk_index,
       document.source,
       document.title,
       document_chunk.text,
       document_chunk.content_hash,
       document_chunk.spans,
       document_chunk.section,
       document_chunk.tokens,
       coalesce(document.content_date::timestamp AT TIME ZONE 'UTC', document.published_at)
           AS dated_at,
       document.metadata,
       1 - (chunk_embedding.embedding <=> %(question)s::halfvec) AS similarity
FROM found
JOIN document ON document.tenant_id = %(tenant_id)s AND document.document_id = found.document_id
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = found.document_id
    AND document_chunk.version = found.version
    AND document_chunk.chunk_id = found.chunk_id
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = %(tenant_id)s
    AND chunk_embedding.document_id = found.document_id
    AND chunk_embedding.version = found.version
    AND chunk_embedding.chunk_id = found.chunk_id
    AND chunk_embedding.model_id = %(model_id)s
ORDER BY rank
