-- The newest received version that is open, parked or failed; a held one has nothing left to do.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND received_at IS NOT NULL
    AND (outcome IN ('PARKED', 'FAILED') OR outcome IS NULL AND state <> 'EMBEDDED')
ORDER BY version DESC
LIMIT 1;
