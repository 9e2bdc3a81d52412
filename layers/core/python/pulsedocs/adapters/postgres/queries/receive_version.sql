-- A version whose bytes have been seen in the object store.
UPDATE document_version
SET object_version = %(object_version)s,
    sequencer = coalesce(sequencer, %(sequencer)s),
    size = %(size)s,
    pipeline_revision = %(pipeline_revision)s,
    received_at = coalesce(received_at, clock_timestamp())
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
