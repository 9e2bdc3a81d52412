-- A registration whose bytes have not been seen; a cancelled one still takes them, for nothing.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND received_at IS NULL
    AND (outcome IS NULL OR outcome = 'CANCELLED' AND error IS NULL);
