-- name: retrieval_in_scope
-- Whether one document is among those that a question searches.
SELECT EXISTS (
    SELECT FROM document
    JOIN collection
        ON collection.tenant_id = document.tenant_id
        AND collection.collection_id = document.collection_id
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = %(asked_document)s
        AND collection.name = ANY(%(names)s)
        AND {wanted}
) AS is_in_scope


-- name: retrieval_page_rank
-- The best place that a page's chunks take in a leg that is read to its end.
SELECT ranked.rank, ranked.score
FROM ({leg}) AS ranked
WHERE ranked.document_id = %(asked_document)s
    AND %(asked_page)s BETWEEN ranked.page_start AND ranked.page_end
ORDER BY ranked.rank
LIMIT 1


-- name: retrieval_page_status
-- What is stored of one page of a document: its version, its text, its chunks and their vectors.
-- The vectors by key behind OFFSET 0: a join took 28 blocks, or 110 where the planner expected one
-- chunk, for it then looked the model up for each.
SELECT collection.name AS collection,
       newest.state, newest.outcome, newest.error ->> 'code' AS code,
       document.published_at,
       coalesce(published.page_count, 0) AS pages_total,
       document_page.outcome AS page_outcome, document_page.failure_code AS page_failure,
       held.chunks, held.embedded
FROM document
JOIN collection
    ON collection.tenant_id = document.tenant_id
    AND collection.collection_id = document.collection_id
LEFT JOIN document_version AS newest
    ON newest.tenant_id = document.tenant_id
    AND newest.document_id = document.document_id
    AND newest.version = document.latest_version
LEFT JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
LEFT JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version = document.published_version
    AND document_page.page_number = %(page)s
CROSS JOIN LATERAL (
    SELECT count(*) AS chunks, count(vector.chunk_id) AS embedded
    FROM document_chunk
    LEFT JOIN LATERAL (
        SELECT chunk_embedding.chunk_id
        FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = %(tenant_id)s
            AND chunk_embedding.document_id = document_chunk.document_id
            AND chunk_embedding.version = document_chunk.version
            AND chunk_embedding.chunk_id = document_chunk.chunk_id
            AND chunk_embedding.model_id = (
                SELECT model_id FROM stage_model WHERE model = %(model)s)
        OFFSET 0
    ) AS vector ON true
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = document.document_id
        AND document_chunk.version = document.published_version
        AND EXISTS (
            SELECT FROM jsonb_array_elements(document_chunk.spans) AS span
            WHERE (span -> 0)::integer = %(page)s)
) AS held
WHERE document.tenant_id = %(tenant_id)s
    AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL;
