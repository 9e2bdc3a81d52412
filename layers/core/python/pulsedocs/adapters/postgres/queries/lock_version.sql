-- One version, locked after its document.
SELECT version, collection_id, object_version, sequencer, content_type, size, sha256,
       is_original, on_duplicate, duplicate_by, hold, state, outcome, fence, lease_holder,
       coalesce(lease_until > clock_timestamp(), false) AS has_live_lease
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
FOR UPDATE;
