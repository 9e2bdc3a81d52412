-- A parked or failed version that goes on from where it stopped.
UPDATE document_version
SET outcome = NULL, error = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
