-- The receipt of a document that was deleted, whether or not its rows are gone.
SELECT receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
