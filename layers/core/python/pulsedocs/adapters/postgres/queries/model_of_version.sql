-- The model that a version's collection is searched by, and the number of its partition.
SELECT stage_model.model, stage_model.model_id
FROM document_version
JOIN collection USING (tenant_id, collection_id)
JOIN stage_model ON stage_model.model = collection.active_model
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;
