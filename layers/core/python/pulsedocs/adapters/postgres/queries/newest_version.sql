-- The newest version of a document, by which it is decided whether it waits to be published.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY version DESC
LIMIT 1;
