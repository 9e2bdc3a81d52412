-- An ended version for which no run is asked any more.
UPDATE document_version
SET requested_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
