-- What the bytes of a version are, once they have been read.
UPDATE document_version
SET sha256 = %(sha256)s, size = %(size)s, page_count = %(pages)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
RETURNING declared_sha256;
