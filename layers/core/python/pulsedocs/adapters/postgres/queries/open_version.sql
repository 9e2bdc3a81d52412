-- Whether a version of a document is on its way, so that another would have to wait for it.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IS NULL AND received_at IS NOT NULL AND state <> 'EMBEDDED'
LIMIT 1;
