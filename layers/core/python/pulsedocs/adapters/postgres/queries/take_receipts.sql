-- The named receipt, and others that no purge works on, for a quarter of an hour.
UPDATE deletion_receipt
SET lease_until = clock_timestamp() + interval '15 minutes'
WHERE tenant_id = %(tenant_id)s AND receipt_id IN (
    SELECT waiting.receipt_id
    FROM deletion_receipt AS waiting
    WHERE waiting.tenant_id = %(tenant_id)s
        AND (waiting.receipt_id = %(receipt_id)s
             OR waiting.completed_at IS NULL
                AND coalesce(waiting.lease_until < clock_timestamp(), true))
    ORDER BY waiting.receipt_id <> %(receipt_id)s, waiting.requested_at
    LIMIT %(most)s)
RETURNING receipt_id, document_id, completed_at IS NOT NULL AS is_completed, before, verification,
          sample, asked;
