-- A held version that becomes the published one.
UPDATE document_version
SET outcome = 'PUBLISHED'
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
