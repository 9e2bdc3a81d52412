-- Published documents that would be cut or read otherwise by now, locked in the order of their ids.
SELECT document.document_id, collection.chunk_profile, document_version.inherits_profile
FROM document
JOIN collection
    ON collection.tenant_id = document.tenant_id
    AND collection.collection_id = document.collection_id
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
    AND document.document_id > %(after)s
    AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
    AND collection.active_model NOT LIKE 'points:%%'
    AND (document_version.pipeline_revision <> %(pipeline_revision)s
         OR document_version.inherits_profile
             AND document_version.chunking ->> 'profile' <> collection.chunk_profile)
ORDER BY document.document_id
LIMIT %(limit)s
FOR UPDATE OF document;
