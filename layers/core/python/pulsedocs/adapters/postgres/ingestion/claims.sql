-- name: add_received_version
-- A version for bytes that nobody registered, with the choices made for the newest one.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    on_duplicate, duplicate_by, hold, chunking, validate_chunks, announced)
SELECT newest.tenant_id, newest.document_id, %(version)s, newest.collection_id,
       %(pipeline_revision)s, %(content_type)s, %(size)s,
       newest.on_duplicate, newest.duplicate_by, newest.hold, newest.chunking,
       newest.validate_chunks, newest.announced
FROM document_version AS newest
WHERE newest.tenant_id = %(tenant_id)s AND newest.document_id = %(document_id)s
ORDER BY newest.version DESC
LIMIT 1;


-- name: awaited_version (kept)
-- A registration whose bytes have not been seen; a cancelled one still takes them, for nothing.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND received_at IS NULL
    AND (outcome IS NULL OR outcome = 'CANCELLED' AND error IS NULL);


-- name: is_of_used_form (kept)
-- Whether the version that a form was signed for has other bytes than an object that nobody knows.
SELECT true
FROM document_version AS named
WHERE named.tenant_id = %(tenant_id)s AND named.document_id = %(document_id)s
    AND named.version = %(named)s
    AND named.object_version <> %(object_version)s
    AND NOT EXISTS (
        SELECT FROM document_version AS known
        WHERE known.tenant_id = named.tenant_id AND known.document_id = named.document_id
            AND known.object_version = %(object_version)s);


-- name: learn_sequencer
-- A received version whose place among its siblings becomes known.
UPDATE document_version
SET sequencer = coalesce(sequencer, %(sequencer)s),
    upload_order = coalesce(upload_order, %(upload_order)s)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: reopen_version
-- A parked or failed version that goes on from where it stopped.
UPDATE document_version
SET outcome = NULL, error = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: take_fence (kept)
-- The right to write, for a quarter of an hour of the database's clock: longer than any step.
-- With what its collection says of the languages of words on pictures, and of its own.
UPDATE document_version
SET fence = fence + %(takes_over)s::int,
    attempts = least(attempts + %(takes_over)s::int, 1000),
    lease_until = clock_timestamp() + interval '15 minutes',
    lease_holder = %(holder)s,
    requested_at = NULL,
    state = CASE state WHEN 'UPLOADED' THEN 'PROCESSING' ELSE state END
FROM document
JOIN collection
    ON collection.tenant_id = document.tenant_id
    AND collection.collection_id = document.collection_id
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s
    AND document.tenant_id = document_version.tenant_id
    AND document.document_id = document_version.document_id
RETURNING document_version.fence, collection.ocr_languages, collection.language,
    coalesce(document_version.announced ->> 'source', document.source);


-- name: version_of_object (kept)
-- The version that stands for one object version, whichever release made it: an event that comes
-- again is no wish to have the bytes read again. Release 0.1.0 made one for each revision.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND object_version = %(object_version)s AND NOT is_reprocessed
ORDER BY version DESC
LIMIT 1;


-- name: learn_orders (kept)
-- The places of uploads among those of their key; a reprocessed version has its object's.
UPDATE document_version
SET upload_order = listed.place
FROM unnest(%(object_versions)s::text[], %(orders)s::bigint[]) AS listed (object_version, place)
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.object_version = listed.object_version
    AND document_version.upload_order IS DISTINCT FROM listed.place;
