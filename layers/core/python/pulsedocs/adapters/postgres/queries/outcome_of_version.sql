-- How a version ended, if it has.
SELECT outcome
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
