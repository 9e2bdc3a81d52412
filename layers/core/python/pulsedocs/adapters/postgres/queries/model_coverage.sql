-- What a model has of the chunks that are published or held, and how many of those are outdated.
WITH shown AS (
    SELECT document_version.document_id,
           document_version.version,
           collection.active_model NOT LIKE 'points:%%' AND (
               document_version.pipeline_revision <> %(pipeline_revision)s
               OR document_version.inherits_profile
                   AND document_version.chunking ->> 'profile' <> collection.chunk_profile
               -- Newer bytes, or the same made anew, that are not searchable yet.
               OR EXISTS (
                   SELECT FROM document_version AS newer
                   WHERE newer.tenant_id = document_version.tenant_id
                       AND newer.document_id = document_version.document_id
                       AND newer.version > document_version.version
                       AND newer.received_at IS NOT NULL
                       AND (newer.outcome IS NULL AND NOT newer.hold
                            OR newer.outcome IN ('FAILED', 'PARKED')))
           ) AS is_stale
    FROM document
    JOIN collection
        ON collection.tenant_id = document.tenant_id
        AND collection.collection_id = document.collection_id
    JOIN document_version
        ON document_version.tenant_id = document.tenant_id
        AND document_version.document_id = document.document_id
        AND (document_version.version = document.published_version
             OR document_version.outcome IS NULL AND document_version.state = 'EMBEDDED')
    WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
        AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
)
SELECT count(*) AS chunks,
       count(chunk_embedding.chunk_id) AS embedded,
       count(embedding_failure.chunk_id) FILTER (WHERE chunk_embedding.chunk_id IS NULL) AS refused,
       count(*) FILTER (
           WHERE chunk_embedding.chunk_id IS NULL AND embedding_failure.chunk_id IS NULL
       ) AS missing,
       count(chunk_embedding.chunk_id) FILTER (WHERE shown.is_stale) AS stale
FROM shown
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = shown.document_id
    AND document_chunk.version = shown.version
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = document_chunk.tenant_id
    AND chunk_embedding.document_id = document_chunk.document_id
    AND chunk_embedding.version = document_chunk.version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = (SELECT model_id FROM stage_model WHERE model = %(model)s)
LEFT JOIN embedding_failure
    ON embedding_failure.tenant_id = document_chunk.tenant_id
    AND embedding_failure.document_id = document_chunk.document_id
    AND embedding_failure.version = document_chunk.version
    AND embedding_failure.chunk_id = document_chunk.chunk_id
    AND embedding_failure.model = %(model)s;
