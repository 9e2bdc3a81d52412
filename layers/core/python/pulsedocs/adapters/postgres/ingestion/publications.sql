-- name: chunks_without_vector
-- How many chunks of a version have neither a vector of a model nor a recorded refusal, and how many
-- there are.
SELECT count(*) AS missing,
       (SELECT count(*) FROM document_chunk
        WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
            AND version = %(version)s) AS total
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    -- include: waits_for_vector
;


-- name: describe_document (kept)
-- A document as it was announced with a version; what was left out stays. Returns the source,
-- which another document may have taken.
WITH waiting AS (
    SELECT announced FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
        AND announced IS NOT NULL
),
told AS (
    UPDATE document_version SET announced = NULL
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
        AND announced IS NOT NULL
)
UPDATE document
SET title = coalesce(announced ->> 'title', title),
    metadata = (announced -> 'origin') || metadata || (announced -> 'metadata'),
    content_date = coalesce((announced ->> 'content_date')::date, content_date),
    updated_at = clock_timestamp()
FROM waiting
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
RETURNING announced ->> 'source';


-- name: rename_document
-- A document under another source.
UPDATE document SET source = %(source)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND source <> %(source)s;


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


-- name: show_version (kept)
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
