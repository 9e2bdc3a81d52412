-- How many chunks a version has.
SELECT count(*)
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
