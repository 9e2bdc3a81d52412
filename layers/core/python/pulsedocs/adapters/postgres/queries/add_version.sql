-- A version that is announced; a duplicate ends at once, its bytes need not travel.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    declared_sha256, duplicate_of, on_duplicate, duplicate_by, hold, chunking, validate_chunks,
    inherits_profile, outcome)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(collection_id)s, %(pipeline_revision)s,
        %(content_type)s, %(size)s, %(sha256)s, %(duplicate_of)s, %(on_duplicate)s,
        %(duplicate_by)s, %(hold)s, %(chunking)s, %(validate_chunks)s, %(inherits_profile)s,
        CASE WHEN %(duplicate_of)s::uuid IS NOT NULL THEN 'DUPLICATE' END);
