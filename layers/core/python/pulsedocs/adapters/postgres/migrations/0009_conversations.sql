-- Conversations that a tenant keeps between questions. Their answers say what documents say, so a
-- turn goes with its conversation, at its expiry, and with any document that it was written from.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE conversation (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id)
);
CREATE INDEX conversation_expiry ON conversation (expires_at);

CREATE TABLE conversation_turn (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    turn            integer NOT NULL CHECK (turn >= 1),
    question        text NOT NULL CHECK (length(question) <= 8000),
    answer          text NOT NULL CHECK (length(answer) <= 8000),
    -- Settling may be repeated: the trace says that it is the same answer.
    trace_id        text NOT NULL,
    -- No foreign keys: a document may go while its turn is on the way.
    document_ids    uuid[] NOT NULL,
    asked_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant_id, conversation_id, turn),
    UNIQUE (tenant_id, conversation_id, trace_id),
    FOREIGN KEY (tenant_id, conversation_id)
        REFERENCES conversation (tenant_id, conversation_id) ON DELETE CASCADE
);

-- Null where a model's price is not known: zero would be a lie.
ALTER TABLE usage ALTER COLUMN cost_usd DROP NOT NULL;

CALL isolate_tenant_tables();

GRANT SELECT, INSERT, DELETE ON conversation, conversation_turn TO pulsedocs_query;
GRANT UPDATE (expires_at) ON conversation TO pulsedocs_query;
GRANT SELECT, DELETE ON conversation, conversation_turn TO pulsedocs_api, pulsedocs_sweep;
