-- The received version to go on with: an abandoned one, else the newest that can go on.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND received_at IS NOT NULL
    AND (outcome IN ('PARKED', 'FAILED') OR outcome IS NULL AND state <> 'EMBEDDED')
ORDER BY outcome IS NULL AND coalesce(lease_until < clock_timestamp(), true) DESC, version DESC
LIMIT 1;
