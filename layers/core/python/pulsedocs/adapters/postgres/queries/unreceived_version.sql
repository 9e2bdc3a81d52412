-- The newest registration that still waits for its bytes.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IS NULL AND received_at IS NULL
ORDER BY version DESC
LIMIT 1;
