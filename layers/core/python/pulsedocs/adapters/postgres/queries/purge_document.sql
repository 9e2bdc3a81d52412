-- A deleted document with its versions and whatever still hangs on them.
DELETE FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NOT NULL;
