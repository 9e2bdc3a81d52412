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

DO $$
DECLARE
    isolated regclass;
BEGIN
    FOREACH isolated IN ARRAY ARRAY['conversation', 'conversation_turn']::regclass[] LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', isolated);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', isolated);
        EXECUTE format(
            'CREATE POLICY tenant_isolation ON %s'
            ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
            ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
            isolated);
    END LOOP;
END $$;

GRANT SELECT, INSERT, DELETE ON conversation, conversation_turn TO pulsedocs_query;
GRANT UPDATE (expires_at) ON conversation TO pulsedocs_query;
GRANT SELECT, DELETE ON conversation, conversation_turn TO pulsedocs_api, pulsedocs_sweep;

-- The sweep's list learns of conversations whose time is up.
GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_lister;
GRANT SELECT (tenant_id, expires_at) ON conversation TO pulsedocs_lister;
CREATE POLICY sweep_listing ON conversation FOR SELECT TO pulsedocs_lister USING (true);

SET LOCAL ROLE pulsedocs_lister;

CREATE OR REPLACE FUNCTION sweep_listing(
    wanted text, after_tenant uuid, after_subject uuid, at_most integer)
RETURNS TABLE (tenant_id uuid, subject_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pulsedocs, pg_catalog, pg_temp AS $$
-- `subject_id` is a document, or the tenant itself where the whole tenant is the work.
SELECT found.tenant_id, found.subject_id
FROM (
    SELECT v.tenant_id, v.document_id AS subject_id
    FROM document_version AS v
    WHERE wanted = 'unfinished'
        AND v.outcome IS NULL
        AND v.state <> 'EMBEDDED'
        AND (v.lease_until IS NULL OR v.lease_until < now())
        AND (v.received_at IS NOT NULL OR v.registered_at < now() - interval '10 minutes')
    UNION
    SELECT v.tenant_id, v.document_id
    FROM document_version AS v
    WHERE wanted = 'unfinished'
        AND v.outcome IN ('PARKED', 'FAILED')
        AND v.requested_at < now() - interval '10 minutes'
    UNION
    SELECT v.tenant_id, v.document_id
    FROM document_version AS v
    WHERE wanted = 'parked' AND v.outcome = 'PARKED'
    UNION
    SELECT r.tenant_id, r.document_id
    FROM deletion_receipt AS r
    WHERE wanted = 'unpurged'
        AND r.completed_at IS NULL
        AND r.requested_at < now() - interval '10 minutes'
    UNION
    SELECT u.tenant_id, u.tenant_id
    FROM usage AS u
    WHERE wanted = 'untidy' AND u.state = 'RESERVED' AND u.expires_at < now()
    UNION
    SELECT k.tenant_id, k.tenant_id
    FROM idempotency_key AS k
    WHERE wanted = 'untidy' AND k.expires_at < now()
    UNION
    SELECT c.tenant_id, c.tenant_id
    FROM conversation AS c
    WHERE wanted = 'untidy' AND c.expires_at < now()
) AS found
WHERE (found.tenant_id, found.subject_id) > (after_tenant, after_subject)
ORDER BY found.tenant_id, found.subject_id
LIMIT least(at_most, 1000);
$$;

SET LOCAL ROLE pulsedocs_owner;
REVOKE CREATE ON SCHEMA pulsedocs FROM pulsedocs_lister;
