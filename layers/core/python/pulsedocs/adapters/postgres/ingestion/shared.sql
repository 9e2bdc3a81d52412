-- name: raise_sequencer (kept)
-- The newest upload that the published version stands for.
UPDATE document
SET latest_sequencer = greatest(latest_sequencer, %(sequencer)s)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: receive_version (kept)
-- A version whose bytes have been seen in the object store.
UPDATE document_version
SET object_version = %(object_version)s,
    sequencer = coalesce(sequencer, %(sequencer)s),
    upload_order = coalesce(upload_order, %(upload_order)s),
    size = %(size)s,
    pipeline_revision = %(pipeline_revision)s,
    received_at = coalesce(received_at, clock_timestamp())
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: record_sha256 (kept)
-- What the bytes of a version are, beside what was announced.
UPDATE document_version
SET sha256 = %(sha256)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
RETURNING declared_sha256;
