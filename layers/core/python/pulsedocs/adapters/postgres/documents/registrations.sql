-- name: add_collection
-- A collection that did not exist before its first document.
INSERT INTO collection (tenant_id, name, active_model, chunk_profile, retrieval_profile)
VALUES (%(tenant_id)s, %(collection)s, %(model)s, %(chunk_profile)s, %(retrieval_profile)s)
ON CONFLICT DO NOTHING;


-- name: add_document
-- A document before its first version; no row when its source or id is taken.
INSERT INTO document (
    tenant_id, document_id, collection_id, source, title, metadata, content_date)
VALUES (%(tenant_id)s, %(document_id)s, %(collection_id)s, %(source)s, %(title)s,
        %(origin)s::jsonb || %(metadata)s::jsonb, %(content_date)s)
ON CONFLICT DO NOTHING
RETURNING document_id, collection_id, latest_version, published_version, deleted_at;


-- name: add_version
-- A version that is announced; a duplicate ends at once, its bytes need not travel.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    declared_size, declared_sha256, duplicate_of, on_duplicate, duplicate_by, hold, chunking, validate_chunks,
    inherits_profile, announced, outcome)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(collection_id)s, %(pipeline_revision)s,
        %(content_type)s, %(size)s, %(declared_size)s, %(sha256)s, %(duplicate_of)s, %(on_duplicate)s,
        %(duplicate_by)s, %(hold)s, %(chunking)s, %(validate_chunks)s, %(inherits_profile)s,
        %(announced)s, CASE WHEN %(duplicate_of)s::uuid IS NOT NULL THEN 'DUPLICATE' END);


-- name: announced_repetition
-- Whether a document shows the announced bytes, made in the same way, and nothing else is under way.
SELECT true
FROM document
JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND published.sha256 = %(sha256)s
    AND
    -- include: made_alike
    -- A changed file on its way would be published after these bytes had been answered for.
    AND NOT EXISTS (
        SELECT FROM document_version AS open
        WHERE open.tenant_id = document.tenant_id AND open.document_id = document.document_id
            AND open.outcome IS NULL);


-- name: document_with_source
-- The document that a source names in a collection, locked.
SELECT document_id, collection_id, latest_version, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND source = %(source)s
    AND deleted_at IS NULL
FOR UPDATE;


-- name: document_of_bytes
-- The first document of a collection that shows these bytes; the named one itself only when it was
-- made in the same way.
SELECT published.document_id
FROM document_version AS published
WHERE published.tenant_id = %(tenant_id)s AND published.collection_id = %(collection_id)s
    AND published.sha256 = %(sha256)s AND published.outcome = 'PUBLISHED'
    AND (published.document_id <> %(document_id)s
         OR
    -- include: made_alike
    )
ORDER BY published.received_at, published.document_id
LIMIT 1;


-- part: made_alike
-- Whether a version was made as the one that is announced would be.
    published.content_type = %(content_type)s
    AND published.chunking = %(chunking)s
    AND published.pipeline_revision = %(pipeline_revision)s
