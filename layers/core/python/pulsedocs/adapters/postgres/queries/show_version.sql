-- A document whose published version is this one; without a sequencer, numbers decide from now on.
UPDATE document
SET published_version = %(version)s,
    published_at = clock_timestamp(),
    updated_at = clock_timestamp(),
    latest_sequencer = CASE %(sequencer)s
        WHEN '' THEN '' ELSE greatest(latest_sequencer, %(sequencer)s) END
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
