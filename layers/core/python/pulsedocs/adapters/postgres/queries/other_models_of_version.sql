-- The models that are tried or kept beside the one that a version's collection is searched by.
SELECT CASE collection.active_model WHEN to_model THEN from_model ELSE to_model END AS model
FROM document_version
JOIN collection USING (tenant_id, collection_id)
JOIN collection_migration USING (tenant_id, collection_id)
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;
