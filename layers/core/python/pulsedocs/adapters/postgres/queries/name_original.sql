-- The document whose bytes a version repeats.
UPDATE document_version
SET duplicate_of = %(duplicate_of)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
