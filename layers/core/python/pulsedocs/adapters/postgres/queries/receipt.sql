-- One deletion: what there was, what is left, and how that was made sure of.
SELECT receipt_id, document_id, requested_at, requested_by, completed_at, before, after,
       verification, asked IS NOT NULL AS is_verifying
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s;
