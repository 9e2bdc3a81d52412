-- How many chunks a version was split into.
UPDATE document_version
SET chunk_count = %(chunks)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
