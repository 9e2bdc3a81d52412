-- What was chosen for a version, the model it is searched by, and what its document is called.
SELECT document_version.chunking
           || jsonb_build_object('validate_chunks', document_version.validate_chunks),
       document_version.sha256, collection.active_model, document.title, document.source
FROM document_version
JOIN document USING (tenant_id, document_id)
JOIN collection
    ON collection.tenant_id = document_version.tenant_id
    AND collection.collection_id = document_version.collection_id
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;
