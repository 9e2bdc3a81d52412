-- The one list that looks across tenants, for the sweep: ids only, by a role of its own.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pulsedocs_lister') THEN
        CREATE ROLE pulsedocs_lister NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT NOCREATEROLE NOCREATEDB;
    END IF;
END $$;

GRANT pulsedocs_lister TO CURRENT_USER WITH SET TRUE;

SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- The lister sees these columns of every tenant, and nothing else of anyone.
GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_lister;
GRANT SELECT (tenant_id, document_id, outcome, state, lease_until, received_at, registered_at,
              requested_at)
    ON document_version TO pulsedocs_lister;
GRANT SELECT (tenant_id, document_id, requested_at, completed_at)
    ON deletion_receipt TO pulsedocs_lister;
GRANT SELECT (tenant_id, state, expires_at) ON usage TO pulsedocs_lister;
GRANT SELECT (tenant_id, expires_at) ON idempotency_key TO pulsedocs_lister;
GRANT SELECT (tenant_id, expires_at) ON conversation TO pulsedocs_lister;
CREATE POLICY sweep_listing ON document_version FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON deletion_receipt FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON usage FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON idempotency_key FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON conversation FOR SELECT TO pulsedocs_lister USING (true);

SET LOCAL ROLE pulsedocs_lister;

CREATE FUNCTION sweep_listing(
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

REVOKE ALL ON FUNCTION sweep_listing(text, uuid, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_listing(text, uuid, uuid, integer) TO pulsedocs_sweep;

SET LOCAL ROLE pulsedocs_owner;
REVOKE CREATE ON SCHEMA pulsedocs FROM pulsedocs_lister;
