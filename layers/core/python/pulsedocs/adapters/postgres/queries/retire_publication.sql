-- The published version of a document that makes way.
UPDATE document_version
SET outcome = 'SUPERSEDED'
FROM document
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
    AND document_version.outcome = 'PUBLISHED';
