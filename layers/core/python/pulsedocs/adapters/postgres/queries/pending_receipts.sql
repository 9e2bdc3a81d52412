-- Deletions that wait for their purge, oldest first.
SELECT receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND completed_at IS NULL
ORDER BY requested_at, receipt_id;
