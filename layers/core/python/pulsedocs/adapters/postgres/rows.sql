-- name: lock_document (kept)
-- One document, locked first of all that a run locks.
SELECT collection_id, source, latest_version, latest_sequencer, published_version, deleted_at,
       (SELECT max(upload_order)
        FROM document_version AS shown
        WHERE shown.tenant_id = document.tenant_id AND shown.document_id = document.document_id
            AND shown.outcome IN ('PUBLISHED', 'DUPLICATE')) AS latest_order
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE;


-- name: lock_idle_document
-- One document, locked as a run locks it, unless somebody works on it just now.
SELECT collection_id, source, latest_version, latest_sequencer, published_version, deleted_at,
       (SELECT max(upload_order)
        FROM document_version AS shown
        WHERE shown.tenant_id = document.tenant_id AND shown.document_id = document.document_id
            AND shown.outcome IN ('PUBLISHED', 'DUPLICATE')) AS latest_order
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE SKIP LOCKED;


-- name: lock_version (kept)
-- One version, locked after its document.
SELECT version, collection_id, object_version, sequencer, upload_order, content_type, size,
       declared_size, sha256, on_duplicate, duplicate_by, hold, state, outcome, fence, lease_holder,
       coalesce(lease_until > clock_timestamp(), false) AS has_live_lease
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
FOR UPDATE;
