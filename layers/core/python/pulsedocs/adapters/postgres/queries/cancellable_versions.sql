-- The versions of a document that are on their way, held, or waiting for a person.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND (outcome IS NULL OR outcome = 'PARKED')
ORDER BY version
FOR UPDATE;
