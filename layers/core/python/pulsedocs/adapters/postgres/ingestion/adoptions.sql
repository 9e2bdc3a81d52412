-- name: add_refused_document
-- A document that only says why its bytes were refused; no row when its id is taken.
INSERT INTO document (tenant_id, document_id, collection_id, source, title)
VALUES (%(tenant_id)s, %(document_id)s, %(collection_id)s, %(source)s, %(title)s)
ON CONFLICT DO NOTHING
RETURNING document_id, collection_id, latest_version;


-- name: add_refused_version
-- A version for bytes that came and cannot be taken in; it ends in the same transaction.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    object_version, sequencer, upload_order, received_at, on_duplicate, duplicate_by, hold,
    validate_chunks)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(collection_id)s, %(pipeline_revision)s,
        %(content_type)s, %(size)s, %(object_version)s, %(sequencer)s, %(upload_order)s,
        clock_timestamp(), %(on_duplicate)s, %(duplicate_by)s, %(hold)s, %(validate_chunks)s);


-- name: attach_item
-- The object of a batch, with the version that stands for its copy.
UPDATE batch_item
SET document_id = became.document_id, version = became.version,
    outcome = NULL, code = NULL, message = NULL
FROM document_version AS became
WHERE batch_item.tenant_id = %(tenant_id)s AND batch_item.batch_id = %(batch_id)s
    AND batch_item.source = %(source)s
    AND became.tenant_id = %(tenant_id)s AND became.document_id = %(document_id)s
    AND became.object_version = %(object_version)s AND NOT became.is_reprocessed;


-- name: is_served
-- Whether a document shows something, or holds it until an update.
SELECT EXISTS (
    SELECT FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
        AND (outcome = 'PUBLISHED' OR outcome IS NULL AND state = 'EMBEDDED'));
