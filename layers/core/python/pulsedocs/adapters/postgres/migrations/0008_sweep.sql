-- What a sweep counts, and the indexes that it looks into.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_version
    -- When a run was last asked for; the claim that takes it up clears it.
    ADD COLUMN requested_at timestamptz,
    -- How often a sweep asked; a person who asks starts the count again.
    ADD COLUMN automatic_attempts integer NOT NULL DEFAULT 0
        CHECK (automatic_attempts BETWEEN 0 AND 1000);

CREATE INDEX document_version_waiting ON document_version (tenant_id, document_id)
    WHERE outcome IN ('PARKED', 'FAILED');
CREATE INDEX usage_reserved ON usage (expires_at) WHERE state = 'RESERVED';
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at);
CREATE INDEX deletion_receipt_open ON deletion_receipt (tenant_id, document_id)
    WHERE completed_at IS NULL;
