-- Whether a document exists and was not deleted.
SELECT true
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL;
