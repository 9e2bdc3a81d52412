-- History ends: what a later version replaced, and records of what was done, after their lives.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- The place of what is shown is that of its version.
ALTER TABLE document DROP COLUMN latest_order;
-- When the pages, chunks, postings, vectors and bytes of an ended version were removed.
ALTER TABLE document_version ADD COLUMN purged_at timestamptz;
CREATE INDEX document_version_spent ON document_version (tenant_id, document_id)
    WHERE outcome IN ('SUPERSEDED', 'DUPLICATE', 'EMPTY', 'REJECTED', 'CANCELLED')
        AND purged_at IS NULL;
CREATE INDEX usage_settled ON usage (settled_at);

-- An entry may go when it is thirteen months old, and is never changed.
CREATE FUNCTION keep_recent_audit() RETURNS trigger
LANGUAGE plpgsql SET search_path = pulsedocs, pg_catalog AS $$
BEGIN
    IF TG_OP = 'DELETE' AND old.at < clock_timestamp() - interval '400 days' THEN
        RETURN old;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'PD005';
END $$;
DROP TRIGGER audit_is_insert_only ON audit_event;
CREATE TRIGGER audit_is_insert_only BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION keep_recent_audit();

GRANT DELETE ON
    step_ledger, audit_event, usage, deletion_receipt, budget_day, batch, model_backfill
TO pulsedocs_sweep;

-- The lister sees a little more, and lists two more kinds of work.
GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_lister;
GRANT SELECT (version, updated_at, purged_at) ON document_version TO pulsedocs_lister;
GRANT SELECT (tenant_id, document_id, latest_version) ON document TO pulsedocs_lister;
GRANT SELECT (settled_at) ON usage TO pulsedocs_lister;
GRANT SELECT (tenant_id, at) ON audit_event TO pulsedocs_lister;
GRANT SELECT (tenant_id, day) ON budget_day TO pulsedocs_lister;
GRANT SELECT (tenant_id, ended_at) ON batch TO pulsedocs_lister;
GRANT SELECT (tenant_id, ended_at) ON model_backfill TO pulsedocs_lister;
CREATE POLICY sweep_listing ON document FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON audit_event FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON budget_day FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON batch FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON model_backfill FOR SELECT TO pulsedocs_lister USING (true);

SET LOCAL ROLE pulsedocs_lister;

CREATE FUNCTION history_listing(
    wanted text, days integer, after_tenant uuid, after_subject uuid, at_most integer)
RETURNS TABLE (tenant_id uuid, subject_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pulsedocs, pg_catalog, pg_temp AS $$
-- `subject_id` is a document, or the tenant itself where the whole tenant is the work.
SELECT found.tenant_id, found.subject_id
FROM (
    SELECT v.tenant_id, v.document_id AS subject_id
    FROM document_version AS v
    JOIN document AS d ON d.tenant_id = v.tenant_id AND d.document_id = v.document_id
    WHERE wanted = 'spent'
        AND v.outcome IN ('SUPERSEDED', 'DUPLICATE', 'EMPTY', 'REJECTED', 'CANCELLED')
        AND v.purged_at IS NULL
        AND v.updated_at < now() - make_interval(days => days)
        AND v.version < d.latest_version
    UNION
    SELECT u.tenant_id, u.tenant_id
    FROM usage AS u
    WHERE wanted = 'records' AND u.settled_at < now() - interval '400 days'
    UNION
    SELECT a.tenant_id, a.tenant_id
    FROM audit_event AS a
    WHERE wanted = 'records' AND a.at < now() - interval '400 days'
    UNION
    SELECT b.tenant_id, b.tenant_id
    FROM budget_day AS b
    WHERE wanted = 'records' AND b.day < now() - interval '400 days'
    UNION
    SELECT e.tenant_id, e.tenant_id
    FROM batch AS e
    WHERE wanted = 'records' AND e.ended_at < now() - interval '400 days'
    UNION
    SELECT m.tenant_id, m.tenant_id
    FROM model_backfill AS m
    WHERE wanted = 'records' AND m.ended_at < now() - interval '400 days'
    UNION
    SELECT r.tenant_id, r.tenant_id
    FROM deletion_receipt AS r
    WHERE wanted = 'records' AND r.completed_at < now() - interval '2200 days'
) AS found
WHERE (found.tenant_id, found.subject_id) > (after_tenant, after_subject)
ORDER BY found.tenant_id, found.subject_id
LIMIT least(at_most, 1000);
$$;

REVOKE ALL ON FUNCTION history_listing(text, integer, uuid, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION history_listing(text, integer, uuid, uuid, integer) TO pulsedocs_sweep;

SET LOCAL ROLE pulsedocs_owner;
REVOKE CREATE ON SCHEMA pulsedocs FROM pulsedocs_lister;
