-- What the status page shows of these documents, oldest first: of each its newest version.
SELECT document.document_id,
       collection.name AS collection,
       document.source,
       document.title,
       newest.content_type,
       newest.size,
       newest.sha256,
       newest.state,
       newest.outcome,
       newest.version,
       newest.received_at,
       coalesce(newest.page_count, 0) AS page_count,
       pages.outcomes AS page_outcomes,
       pages.failures AS page_failures,
       coalesce(newest.chunk_count, 0) AS chunks,
       newest.chunking,
       chunks.methods,
       chunks.tokens,
       chunks.flags,
       embeddings.counts AS embeddings,
       failures.chunks AS failed_chunks,
       newest.error,
       newest.warnings,
       document.metadata,
       document.content_date,
       document.created_at,
       greatest(document.updated_at, newest.updated_at) AS updated_at,
       newest.history,
       ledger.timings AS timings_ms,
       newest.registered_at,
       newest.duplicate_of,
       document.published_version
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version AS newest
    ON newest.tenant_id = document.tenant_id
    AND newest.document_id = document.document_id
    AND newest.version = document.latest_version
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(outcome, number), '{}') AS outcomes,
           (SELECT coalesce(jsonb_agg(jsonb_build_array(page_number, failure_code)
                                      ORDER BY page_number), '[]')
            FROM document_page AS failed
            WHERE failed.tenant_id = newest.tenant_id
                AND failed.document_id = newest.document_id
                AND failed.version = newest.version
                AND failed.outcome = 'FAILED') AS failures
    FROM (
        SELECT outcome, count(*) AS number
        FROM document_page
        WHERE document_page.tenant_id = newest.tenant_id
            AND document_page.document_id = newest.document_id
            AND document_page.version = newest.version
        GROUP BY outcome
    ) AS counted
) AS pages
CROSS JOIN LATERAL (
    SELECT coalesce(sum(tokens), 0) AS tokens,
           coalesce(array_agg(DISTINCT method), '{}') AS methods,
           jsonb_build_object(
               'GARBLED', count(*) FILTER (WHERE 'GARBLED' = ANY(flags)),
               'TOO_LONG', count(*) FILTER (WHERE 'TOO_LONG' = ANY(flags)),
               'TOO_SHORT', count(*) FILTER (WHERE 'TOO_SHORT' = ANY(flags))) AS flags
    FROM document_chunk
    WHERE document_chunk.tenant_id = newest.tenant_id
        AND document_chunk.document_id = newest.document_id
        AND document_chunk.version = newest.version
) AS chunks
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(stage_model.model, number), '{}') AS counts
    FROM (
        SELECT model_id, count(*) AS number
        FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = newest.tenant_id
            AND chunk_embedding.document_id = newest.document_id
            AND chunk_embedding.version = newest.version
        GROUP BY model_id
    ) AS counted
    JOIN stage_model USING (model_id)
) AS embeddings
CROSS JOIN LATERAL (
    SELECT count(DISTINCT chunk_id) AS chunks
    FROM embedding_failure
    WHERE embedding_failure.tenant_id = newest.tenant_id
        AND embedding_failure.document_id = newest.document_id
        AND embedding_failure.version = newest.version
) AS failures
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(step, elapsed_ms), '{}') AS timings
    FROM (
        SELECT step, sum(elapsed_ms) AS elapsed_ms
        FROM step_ledger
        WHERE step_ledger.tenant_id = newest.tenant_id
            AND step_ledger.document_id = newest.document_id
            AND step_ledger.version = newest.version
        GROUP BY step
    ) AS timed
) AS ledger
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND document.document_id = ANY(%(document_ids)s::uuid[])
ORDER BY document.created_at, document.document_id;
