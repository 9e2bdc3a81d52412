-- What was done: the step ledger, audit, receipts, idempotent requests and usage.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE step_ledger (
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    step        text NOT NULL CHECK (step IN ('store', 'clean', 'chunk', 'embed', 'publish')),
    batch       integer NOT NULL DEFAULT 0 CHECK (batch >= 0),
    fence       bigint NOT NULL,
    result      jsonb NOT NULL CHECK (jsonb_typeof(result) = 'object'),
    elapsed_ms  integer NOT NULL DEFAULT 0,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, document_id, version, step, batch),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE
);

CREATE TABLE audit_event (
    tenant_id uuid NOT NULL,
    event_id  uuid NOT NULL DEFAULT gen_random_uuid(),
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor     text NOT NULL,
    action    text NOT NULL,
    object    text NOT NULL,
    outcome   text NOT NULL,
    detail    jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX audit_event_time ON audit_event (tenant_id, at);
CREATE TRIGGER audit_is_insert_only BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE deletion_receipt (
    -- Outlives the document it speaks of, so it references none.
    tenant_id    uuid NOT NULL,
    receipt_id   uuid NOT NULL DEFAULT gen_random_uuid(),
    document_id  uuid NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    requested_by text NOT NULL,
    completed_at timestamptz,
    before       jsonb NOT NULL DEFAULT '{}',
    after        jsonb,
    PRIMARY KEY (tenant_id, receipt_id)
);
CREATE INDEX deletion_receipt_document ON deletion_receipt (tenant_id, document_id);

CREATE TABLE idempotency_key (
    tenant_id    uuid NOT NULL,
    key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 512),
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    status       integer CHECK (status BETWEEN 200 AND 599),
    response     jsonb,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key),
    CHECK ((status IS NULL) = (response IS NULL))
);

CREATE TABLE usage (
    tenant_id     uuid NOT NULL,
    usage_id      uuid NOT NULL DEFAULT gen_random_uuid(),
    state         text NOT NULL DEFAULT 'RESERVED'
                  CHECK (state IN ('RESERVED', 'SETTLED', 'EXPIRED')),
    method        text NOT NULL,
    model         text,
    user_id       text,
    source        text,
    document_id   uuid,
    trace_id      text,
    pages         integer NOT NULL DEFAULT 0 CHECK (pages >= 0),
    chunks        integer NOT NULL DEFAULT 0 CHECK (chunks >= 0),
    input_tokens  bigint NOT NULL DEFAULT 0 CHECK (input_tokens >= 0),
    output_tokens bigint NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    cost_usd      numeric(14, 6) NOT NULL DEFAULT 0 CHECK (cost_usd >= 0),
    reserved_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at    timestamptz,
    expires_at    timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 hour',
    PRIMARY KEY (tenant_id, usage_id)
);
CREATE INDEX usage_time ON usage (tenant_id, reserved_at);
