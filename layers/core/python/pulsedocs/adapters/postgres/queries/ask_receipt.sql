-- A deletion for which a client wants its own copy looked for.
UPDATE deletion_receipt
SET asked = %(sample)s
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s
RETURNING receipt_id;
