-- A document that was not deleted, held against deletion and publication, not against readers.
SELECT document_id FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL
FOR SHARE;
