-- The newest upload that the published version stands for.
UPDATE document
SET latest_sequencer = greatest(latest_sequencer, %(sequencer)s)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
