-- name: is_collection
-- Whether a collection exists.
SELECT true
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(collection)s;


-- name: lock_document (kept)
-- One document, locked first of all that a run locks.
SELECT collection_id, latest_version, latest_sequencer, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE;


-- name: lock_idle_document
-- One document, locked as a run locks it, unless somebody works on it just now.
SELECT collection_id, latest_version, latest_sequencer, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE SKIP LOCKED;


-- name: latest_order (kept)
-- The place, among the uploads of its key, of the newest that a locked document stands for. A
-- statement of its own: the one that waited for the lock sees the other rows as they were before.
SELECT max(upload_order)
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IN ('PUBLISHED', 'DUPLICATE');


-- name: lock_version (kept)
-- One version, locked after its document.
SELECT version, collection_id, object_version, sequencer, upload_order, content_type, size,
       declared_size, sha256, on_duplicate, duplicate_by, hold, state, outcome, fence, lease_holder,
       coalesce(lease_until > clock_timestamp(), false) AS has_live_lease
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
FOR UPDATE;
