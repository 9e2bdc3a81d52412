-- What was read from the bytes of a version.
UPDATE document_version
SET size = %(size)s, page_count = %(pages)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
