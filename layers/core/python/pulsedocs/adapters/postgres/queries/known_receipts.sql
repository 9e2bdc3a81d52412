-- Receipts that this very request has written, should it be asked a second time.
SELECT receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND receipt_id = ANY(%(receipt_ids)s::uuid[])
ORDER BY receipt_id;
