-- name: document_statuses
-- What the status page shows of these documents, newest first: how the newest version of each ended,
-- and what is kept of it. One that turned out to be there already has nothing: what serves is shown.
SELECT document.document_id,
       collection.name AS collection,
       document.source,
       coalesce(document.title, document.file_title) AS title,
       kept.content_type,
       kept.size,
       kept.sha256,
       kept.state,
       newest.outcome,
       newest.version,
       newest.received_at,
       coalesce(kept.page_count, 0) AS page_count,
       pages.furniture,
       pages.low_confidence,
       pages.outcomes AS page_outcomes,
       pages.failures AS page_failures,
       coalesce(kept.chunk_count, 0) AS chunks,
       kept.chunking,
       chunks.methods,
       chunks.tokens,
       chunks.flags,
       embeddings.counts AS embeddings,
       failures.chunks AS failed_chunks,
       newest.error,
       kept.warnings,
       document.metadata,
       document.content_date,
       document.created_at,
       greatest(document.updated_at, newest.updated_at) AS updated_at,
       newest.history,
       ledger.timings AS timings_ms,
       newest.duplicate_of,
       document.published_version
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version AS newest
    ON newest.tenant_id = document.tenant_id
    AND newest.document_id = document.document_id
    AND newest.version = document.latest_version
JOIN document_version AS kept
    ON kept.tenant_id = document.tenant_id
    AND kept.document_id = document.document_id
    AND kept.version = CASE WHEN newest.outcome = 'DUPLICATE'
                            THEN coalesce(document.published_version, document.latest_version)
                            ELSE document.latest_version END
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(outcome, number), '{}') AS outcomes,
           coalesce(sum(furniture), 0)::integer AS furniture,
           coalesce(sum(doubtful), 0)::integer AS low_confidence,
           (SELECT coalesce(jsonb_agg(jsonb_build_array(page_number, failure_code)
                                      ORDER BY page_number), '[]')
            FROM document_page AS failed
            WHERE failed.tenant_id = kept.tenant_id
                AND failed.document_id = kept.document_id
                AND failed.version = kept.version
                AND failed.outcome = 'FAILED') AS failures
    FROM (
        SELECT outcome, count(*) AS number, sum(cardinality(furniture)) AS furniture,
               count(*) FILTER (WHERE confidence < %(low_confidence)s) AS doubtful
        FROM document_page
        WHERE document_page.tenant_id = kept.tenant_id
            AND document_page.document_id = kept.document_id
            AND document_page.version = kept.version
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
    WHERE document_chunk.tenant_id = kept.tenant_id
        AND document_chunk.document_id = kept.document_id
        AND document_chunk.version = kept.version
) AS chunks
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(stage_model.model, number), '{}') AS counts
    FROM (
        SELECT model_id, count(*) AS number
        FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = kept.tenant_id
            AND chunk_embedding.document_id = kept.document_id
            AND chunk_embedding.version = kept.version
        GROUP BY model_id
    ) AS counted
    JOIN stage_model USING (model_id)
) AS embeddings
CROSS JOIN LATERAL (
    SELECT count(DISTINCT chunk_id) AS chunks
    FROM embedding_failure
    WHERE embedding_failure.tenant_id = kept.tenant_id
        AND embedding_failure.document_id = kept.document_id
        AND embedding_failure.version = kept.version
) AS failures
CROSS JOIN LATERAL (
    -- Reading and embedding have no rows of their own: who stores what they made knows their time.
    SELECT coalesce(jsonb_object_agg(part, elapsed_ms), '{}') AS timings
    FROM (
        SELECT part, sum(timed.elapsed_ms) AS elapsed_ms
        FROM step_ledger
        CROSS JOIN LATERAL (VALUES
            (CASE step WHEN 'embed' THEN 'upload' ELSE step END, step_ledger.elapsed_ms),
            ('extract', (result ->> 'extract_ms')::integer),
            ('embed', (result ->> 'embed_ms')::integer)
        ) AS timed (part, elapsed_ms)
        WHERE step_ledger.tenant_id = kept.tenant_id
            AND step_ledger.document_id = kept.document_id
            AND step_ledger.version = kept.version
            AND timed.elapsed_ms IS NOT NULL
        GROUP BY part
    ) AS summed
) AS ledger
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND document.document_id = ANY(%(document_ids)s::uuid[])
ORDER BY document.created_at DESC, document.document_id DESC;


-- name: document_versions
-- Versions of a document, newest first, each with the one that took its place, and whether its pages
-- are still stored.
SELECT this.version,
       this.state,
       this.outcome,
       this.content_type,
       this.size,
       coalesce(this.page_count, 0) AS pages,
       this.version IS NOT DISTINCT FROM document.published_version AS is_published,
       CASE WHEN this.outcome = 'SUPERSEDED' THEN (
           SELECT min(later.version)
           FROM document_version AS later
           WHERE later.tenant_id = this.tenant_id
               AND later.document_id = this.document_id
               AND later.version > this.version
               AND later.outcome IN ('PUBLISHED', 'SUPERSEDED'))
       END AS replaced_by,
       EXISTS (
           SELECT FROM document_page
           WHERE document_page.tenant_id = this.tenant_id
               AND document_page.document_id = this.document_id
               AND document_page.version = this.version) AS is_stored,
       this.registered_at,
       this.received_at,
       this.updated_at
FROM document
JOIN document_version AS this USING (tenant_id, document_id)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL
    AND (%(before)s::integer IS NULL OR this.version < %(before)s::integer)
ORDER BY this.version DESC
LIMIT %(limit)s;


-- name: is_known
-- Whether a document exists and was not deleted.
SELECT true
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL;


-- name: list_documents
-- One page of documents, newest first, from a position in the listing on. PUBLISHED are all that are
-- searched, however an upload since then ended.
SELECT document.document_id
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version AS newest
    ON newest.tenant_id = document.tenant_id
    AND newest.document_id = document.document_id
    AND newest.version = document.latest_version
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND (%(collection)s::text IS NULL OR collection.name = %(collection)s)
    AND (%(state)s::text IS NULL
         OR %(state)s IN (newest.state, newest.outcome)
         OR (%(state)s = 'PUBLISHED' AND document.published_version IS NOT NULL))
    AND (%(created_at)s::timestamptz IS NULL
         OR (document.created_at, document.document_id) < (%(created_at)s, %(document_id)s::uuid))
    AND {wanted}
ORDER BY document.created_at DESC, document.document_id DESC
LIMIT %(limit)s;


-- name: stored_object
-- The object behind the published version, else behind the newest one received.
SELECT document_version.object_version, document_version.size, document_version.content_type,
       document_version.received_at
FROM document
JOIN document_version USING (tenant_id, document_id)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL AND document_version.received_at IS NOT NULL
ORDER BY document_version.version IS NOT DISTINCT FROM document.published_version DESC,
         document_version.version DESC
LIMIT 1;
