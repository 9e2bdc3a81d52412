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
SELECT collection.name AS collection,
       newest.state, newest.outcome, newest.error ->> 'code' AS code,
       document.published_at,
       coalesce(published.page_count, 0) AS pages_total,
       document_page.outcome AS page_outcome, document_page.failure_code AS page_failure,
       count(document_chunk.chunk_id) AS chunks,
       count(chunk_embedding.chunk_id) AS embedded
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
LEFT JOIN document_chunk
    ON document_chunk.tenant_id = document.tenant_id
    AND document_chunk.document_id = document.document_id
    AND document_chunk.version = document.published_version
    AND EXISTS (
        SELECT FROM jsonb_array_elements(document_chunk.spans) AS span
        WHERE (span -> 0)::integer = %(page)s)
LEFT JOIN stage_model ON stage_model.model = %(model)s
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = document.tenant_id
    AND chunk_embedding.document_id = document.document_id
    AND chunk_embedding.version = document.published_version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = stage_model.model_id
WHERE document.tenant_id = %(tenant_id)s
    AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL
GROUP BY collection.name, newest.state, newest.outcome, newest.error, document.published_at,
         published.page_count, document_page.outcome, document_page.failure_code;
