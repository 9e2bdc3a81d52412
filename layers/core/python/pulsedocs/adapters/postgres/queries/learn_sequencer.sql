-- A received version whose place among its siblings becomes known.
UPDATE document_version
SET sequencer = %(sequencer)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND sequencer IS NULL;
