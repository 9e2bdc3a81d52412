-- A version of the bytes that are published, to be made into rows once more.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, object_version, sequencer,
    content_type, size, declared_sha256, on_duplicate, duplicate_by, chunking, validate_chunks,
    received_at, is_reprocessed, inherits_profile)
SELECT published.tenant_id, published.document_id, document.latest_version + 1,
       published.collection_id, %(pipeline_revision)s, published.object_version,
       published.sequencer, published.content_type, published.size, published.sha256,
       published.on_duplicate, published.duplicate_by,
       coalesce(%(chunking)s::jsonb, published.chunking), published.validate_chunks,
       clock_timestamp(), true,
       coalesce(%(inherits_profile)s::boolean, published.inherits_profile)
FROM document
JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
RETURNING version;
