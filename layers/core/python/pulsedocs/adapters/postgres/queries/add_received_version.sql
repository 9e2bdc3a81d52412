-- A version for bytes that nobody registered, with the choices made for the newest one.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    on_duplicate, duplicate_by, hold, chunking, validate_chunks)
SELECT newest.tenant_id, newest.document_id, %(version)s, newest.collection_id,
       %(pipeline_revision)s, %(content_type)s, %(size)s,
       newest.on_duplicate, newest.duplicate_by, newest.hold, newest.chunking,
       newest.validate_chunks
FROM document_version AS newest
WHERE newest.tenant_id = %(tenant_id)s AND newest.document_id = %(document_id)s
ORDER BY newest.version DESC
LIMIT 1;
