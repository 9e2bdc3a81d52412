-- Of these uploads, those that no version stands for; an orphan has not even a document.
SELECT uploaded.document_id, document.document_id IS NULL AS is_orphan
FROM unnest(%(document_ids)s::uuid[], %(object_versions)s::text[])
    AS uploaded (document_id, object_version)
LEFT JOIN document
    ON document.tenant_id = %(tenant_id)s AND document.document_id = uploaded.document_id
WHERE document.deleted_at IS NULL
    AND NOT EXISTS (
        SELECT FROM document_version
        WHERE document_version.tenant_id = %(tenant_id)s
            AND document_version.document_id = uploaded.document_id
            AND document_version.object_version = uploaded.object_version);
