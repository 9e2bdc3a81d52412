-- All versions of documents that are deleted; no run may write to them any more.
UPDATE document_version
SET outcome = 'DELETED', fence = fence + 1, lease_until = NULL, lease_holder = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[])
    AND outcome IS DISTINCT FROM 'DELETED';
