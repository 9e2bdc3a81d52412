-- Changing and deleting documents: what a purge may touch, and what its receipt says.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- A receipt outlives the document, and so may hold none of its words: `sample` and `asked` are keyed
-- hashes with their key, kept only until the purge has looked for them everywhere.
ALTER TABLE deletion_receipt
    ADD COLUMN verification jsonb CHECK (jsonb_typeof(verification) = 'object'),
    ADD COLUMN sample jsonb CHECK (jsonb_typeof(sample) = 'object'),
    ADD COLUMN asked jsonb CHECK (jsonb_typeof(asked) = 'object'),
    ADD COLUMN lease_until timestamptz,
    ADD CHECK (completed_at IS NULL OR after IS NOT NULL);
CREATE INDEX deletion_receipt_pending ON deletion_receipt (tenant_id, requested_at)
    WHERE completed_at IS NULL;
-- A document is deleted once: its id is a tombstone.
DROP INDEX deletion_receipt_document;
CREATE UNIQUE INDEX deletion_receipt_document ON deletion_receipt (tenant_id, document_id);

-- The same bytes made into rows again: the one case of two versions of one object version.
ALTER TABLE document_version ADD COLUMN is_reprocessed boolean NOT NULL DEFAULT false;
DO $$
BEGIN
    EXECUTE (
        SELECT format('ALTER TABLE document_version DROP CONSTRAINT %I', conname)
        FROM pg_constraint
        WHERE conrelid = 'pulsedocs.document_version'::regclass AND contype = 'u');
END $$;
CREATE UNIQUE INDEX document_version_object
    ON document_version (tenant_id, document_id, object_version, pipeline_revision)
    WHERE NOT is_reprocessed;

-- Gives its name away at once and goes with its last document.
ALTER TABLE collection ADD COLUMN deleted_at timestamptz;

GRANT SELECT ON deletion_receipt TO pulsedocs_ingest;
GRANT SELECT ON audit_event, step_ledger, usage TO pulsedocs_sweep;
GRANT DELETE ON
    document_page, document_chunk, chunk_embedding, embedding_failure, posting, doc_stats
TO pulsedocs_sweep;
GRANT UPDATE, DELETE ON collection TO pulsedocs_sweep;
GRANT DELETE ON collection TO pulsedocs_api;
