-- The open version whose lease one execution took.
SELECT version, fence
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND lease_holder = %(holder)s AND outcome IS NULL
ORDER BY version DESC
LIMIT 1;
