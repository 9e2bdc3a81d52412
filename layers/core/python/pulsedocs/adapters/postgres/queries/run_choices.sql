-- What was chosen for a version, and the model that its collection is searched by.
SELECT document_version.chunking
           || jsonb_build_object('validate_chunks', document_version.validate_chunks),
       document_version.sha256, collection.active_model
FROM document_version
JOIN collection USING (tenant_id, collection_id)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
