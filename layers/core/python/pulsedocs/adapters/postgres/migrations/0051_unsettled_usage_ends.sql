-- A reservation that nobody settled has no time of settling: it ends as late after its own time was up.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE INDEX usage_expired ON usage (expires_at) WHERE state = 'EXPIRED';

GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_lister;

SET LOCAL ROLE pulsedocs_lister;

CREATE OR REPLACE FUNCTION history_listing(
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
    -- Which of them is older than what is published, `spent_versions` decides.
    SELECT v.tenant_id, v.document_id
    FROM document_version AS v
    JOIN document AS d ON d.tenant_id = v.tenant_id AND d.document_id = v.document_id
    WHERE wanted = 'spent'
        AND v.outcome IN ('FAILED', 'PARKED')
        AND v.purged_at IS NULL
        AND v.updated_at < now() - make_interval(days => days)
        AND d.published_version IS NOT NULL
    UNION
    SELECT u.tenant_id, u.tenant_id
    FROM usage AS u
    WHERE wanted = 'records' AND u.settled_at < now() - interval '400 days'
    UNION
    SELECT u.tenant_id, u.tenant_id
    FROM usage AS u
    WHERE wanted = 'records' AND u.state = 'EXPIRED' AND u.expires_at < now() - interval '400 days'
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
    SELECT f.tenant_id, f.tenant_id
    FROM feedback AS f
    WHERE wanted = 'records' AND f.changed_at < now() - interval '400 days'
    UNION
    SELECT r.tenant_id, r.tenant_id
    FROM deletion_receipt AS r
    WHERE wanted = 'records' AND r.completed_at < now() - interval '2200 days'
) AS found
WHERE (found.tenant_id, found.subject_id) > (after_tenant, after_subject)
ORDER BY found.tenant_id, found.subject_id
LIMIT least(at_most, 1000);
$$;

SET LOCAL ROLE pulsedocs_owner;
REVOKE CREATE ON SCHEMA pulsedocs FROM pulsedocs_lister;
