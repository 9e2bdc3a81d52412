-- name: chunks_without_vector
-- How many chunks of a version have neither a vector of a model nor a recorded refusal.
SELECT count(*) FILTER (WHERE is_missing) AS missing, count(*) AS total
FROM (
    SELECT NOT EXISTS (
        SELECT FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = document_chunk.tenant_id
            AND chunk_embedding.document_id = document_chunk.document_id
            AND chunk_embedding.version = document_chunk.version
            AND chunk_embedding.chunk_id = document_chunk.chunk_id
            AND chunk_embedding.model_id = %(model_id)s
    ) AND NOT EXISTS (
        SELECT FROM embedding_failure
        WHERE embedding_failure.tenant_id = document_chunk.tenant_id
            AND embedding_failure.document_id = document_chunk.document_id
            AND embedding_failure.version = document_chunk.version
            AND embedding_failure.chunk_id = document_chunk.chunk_id
            AND embedding_failure.model = %(model)s
    ) AS is_missing
    FROM document_chunk
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
) AS chunk;


-- name: retire_publication
-- The published version of a document that makes way.
UPDATE document_version
SET outcome = 'SUPERSEDED'
FROM document
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
    AND document_version.outcome = 'PUBLISHED';


-- name: show_version
-- A document whose published version is this one; what is unknown of its place decides nothing.
UPDATE document
SET published_version = %(version)s,
    published_at = clock_timestamp(),
    file_title = (
        SELECT document_version.file_title
        FROM document_version
        WHERE document_version.tenant_id = document.tenant_id
            AND document_version.document_id = document.document_id
            AND document_version.version = %(version)s),
    updated_at = clock_timestamp(),
    latest_sequencer = CASE %(sequencer)s
        WHEN '' THEN '' ELSE greatest(latest_sequencer, %(sequencer)s) END
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
