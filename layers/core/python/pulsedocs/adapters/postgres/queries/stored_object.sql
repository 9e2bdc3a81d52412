-- The object behind the published version, else behind the newest one received.
SELECT document_version.object_version, document_version.size, document_version.content_type,
       document_version.received_at
FROM document
JOIN document_version USING (tenant_id, document_id)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL AND document_version.received_at IS NOT NULL
ORDER BY document_version.version IS NOT DISTINCT FROM document.published_version DESC,
         document_version.version DESC
LIMIT 1;
