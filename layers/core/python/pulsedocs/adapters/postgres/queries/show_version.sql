-- A document whose published version is this one.
UPDATE document
SET published_version = %(version)s,
    published_at = clock_timestamp(),
    updated_at = clock_timestamp(),
    latest_sequencer = greatest(latest_sequencer, %(sequencer)s)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
