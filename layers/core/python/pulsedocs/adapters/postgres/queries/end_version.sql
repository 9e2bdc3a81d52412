-- A version that ends without having advanced.
UPDATE document_version
SET outcome = %(outcome)s, error = %(error)s, lease_until = NULL, lease_holder = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
