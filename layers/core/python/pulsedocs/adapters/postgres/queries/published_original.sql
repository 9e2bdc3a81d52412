-- The published document that holds these bytes in a collection.
SELECT document_id
FROM document_version
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s
    AND sha256 = %(sha256)s AND is_original AND outcome = 'PUBLISHED'
    -- Of the document itself only when it was made in the same way.
    AND (document_id <> %(document_id)s
         OR chunking = %(chunking)s AND pipeline_revision = %(pipeline_revision)s);
