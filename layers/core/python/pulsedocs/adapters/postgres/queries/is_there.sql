-- Whether a document has a row, deleted or not.
SELECT true
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
