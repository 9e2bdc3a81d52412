-- The chunks of the scope nearest to a vector, ranked, with all that selection needs.
-- With the distance as the index has it, alone in ORDER BY, PostgreSQL may use HNSW; in any other
-- form it reads every vector of the scope. `similarity` is the cosine to the question itself.
WITH found AS MATERIALIZED (
    SELECT chunk_embedding.document_id, chunk_embedding.version, chunk_embedding.chunk_id,
           chunk_embedding.embedding, {distance} AS distance,
           document.source, document.title, document.metadata, document.content_date,
           document.published_at
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
)
SELECT row_number() OVER (ORDER BY found.distance, found.chunk_id)::integer AS rank,
       1 - found.distance AS score,
       found.chunk_id, found.document_id, found.version, found.source, found.title,
       found.metadata::text AS metadata,
       coalesce(found.content_date::timestamp AT TIME ZONE 'UTC', found.published_at) AS dated_at,
       document_chunk.chunk_index, document_chunk.text,
       document_chunk.page_start, document_chunk.page_end,
       -- Read only where there are pages between the two.
       CASE WHEN document_chunk.page_end - document_chunk.page_start > 1
            THEN document_chunk.spans END AS spans,
       document_chunk.section, document_chunk.tokens,
       1 - (found.embedding <=> %(question)s::halfvec) AS similarity
FROM found
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = found.document_id
    AND document_chunk.version = found.version
    AND document_chunk.chunk_id = found.chunk_id
ORDER BY rank
