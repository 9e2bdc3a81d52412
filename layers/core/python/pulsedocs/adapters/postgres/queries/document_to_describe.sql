-- What may be changed of a document without making it anew, locked.
SELECT metadata, title, content_date
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL
FOR UPDATE;
