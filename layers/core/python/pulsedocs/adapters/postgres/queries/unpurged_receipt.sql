-- A deletion that is not over, and whether its purge has had ten minutes.
SELECT receipt_id, requested_at < clock_timestamp() - interval '10 minutes' AS is_late
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND completed_at IS NULL
ORDER BY requested_at
LIMIT 1;
