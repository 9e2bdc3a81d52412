-- What the bytes of a version are, beside what was announced.
UPDATE document_version
SET sha256 = %(sha256)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
RETURNING declared_sha256;
