-- A version for bytes that came and cannot be taken in; it ends in the same transaction.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, content_type, size,
    object_version, sequencer, received_at, on_duplicate, duplicate_by, hold, validate_chunks)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(collection_id)s, %(pipeline_revision)s,
        %(content_type)s, %(size)s, %(object_version)s, %(sequencer)s, clock_timestamp(),
        %(on_duplicate)s, %(duplicate_by)s, %(hold)s, %(validate_chunks)s);
