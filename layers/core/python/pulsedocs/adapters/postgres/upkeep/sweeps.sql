-- name: expire_registrations
-- Registrations whose bytes never came: the form was open for minutes, an hour is over.
UPDATE document_version
SET outcome = 'CANCELLED', error = %(error)s, fence = fence + 1
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IS NULL AND received_at IS NULL
    AND registered_at < clock_timestamp() - interval '1 hour';


-- name: expire_reservations
-- Reservations that nobody settled in time.
UPDATE usage
SET state = 'EXPIRED'
WHERE tenant_id = %(tenant_id)s AND state = 'RESERVED' AND expires_at < clock_timestamp();


-- name: forget_expired_conversations
-- Conversations whose time is up, with their turns.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s AND expires_at < clock_timestamp();


-- name: forget_expired_requests
-- Idempotency keys that are older than a day.
DELETE FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND expires_at < clock_timestamp();


-- name: forget_requested_run
-- An ended version for which no run is asked any more.
UPDATE document_version
SET requested_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: has_live_run
-- Whether an execution works on some version of a document, as far as its lease says.
SELECT EXISTS (
    SELECT FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
        AND outcome IS NULL AND lease_until > clock_timestamp());


-- name: is_there
-- Whether a document has a row, deleted or not.
SELECT true
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: parked_state
-- Why a version is parked, whether its back-off is over, and whether others got through since.
SELECT error ->> 'code' AS code,
       CASE WHEN error ->> 'code' = 'BUDGET_EXCEEDED'
           THEN parked.at < date_trunc('day', clock_timestamp(), 'UTC')
               OR EXISTS (
                   SELECT FROM tenant_budget
                   WHERE tenant_budget.tenant_id = %(tenant_id)s
                       AND tenant_budget.changed_at > parked.at)
           ELSE parked.at
               + least(interval '15 minutes' * power(2, least(parked.times, 10) - 1),
                       interval '1 day') <= clock_timestamp()
       END AS is_due,
       error ->> 'code' <> 'BUDGET_EXCEEDED' AND EXISTS (
           SELECT FROM usage
           WHERE usage.tenant_id = %(tenant_id)s
               AND usage.method = 'embed'
               AND usage.settled_at > parked.at) AS is_over
FROM document_version
CROSS JOIN LATERAL (
    SELECT max((entry ->> 'at')::timestamptz) AS at, count(*)::integer AS times
    FROM jsonb_array_elements(document_version.history) AS entry
    WHERE entry ->> 'state' = 'PARKED') AS parked
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND outcome = 'PARKED';


-- name: recovery_state
-- How often a sweep asked for a version, and whether it may again: 15, 30, 60 ... minutes later.
SELECT automatic_attempts,
       requested_at IS NOT NULL AS is_requested,
       coalesce(greatest(lease_until, requested_at), registered_at)
           + CASE
               WHEN automatic_attempts > 0
                   THEN interval '15 minutes' * power(2, least(automatic_attempts, 10) - 1)
               WHEN requested_at IS NOT NULL OR received_at IS NULL THEN interval '10 minutes'
               ELSE interval '0'
           END <= clock_timestamp() AS is_due
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: sweep_listing
-- One page of ids, of every tenant, of what a part of the sweep looks at.
SELECT tenant_id, subject_id
FROM sweep_listing(%(wanted)s, %(after_tenant)s, %(after_subject)s, %(limit)s);


-- name: unknown_objects
-- Of these uploads, those that no version stands for; an orphan has not even a document.
SELECT uploaded.document_id, document.document_id IS NULL AS is_orphan
FROM unnest(%(document_ids)s::uuid[], %(object_versions)s::text[])
    AS uploaded (document_id, object_version)
LEFT JOIN document
    ON document.tenant_id = %(tenant_id)s AND document.document_id = uploaded.document_id
WHERE document.deleted_at IS NULL
    AND NOT EXISTS (
        SELECT FROM document_version
        WHERE document_version.tenant_id = %(tenant_id)s
            AND document_version.document_id = uploaded.document_id
            AND document_version.object_version = uploaded.object_version);


-- name: unpurged_receipt
-- A deletion that is not over, and whether its purge has had ten minutes.
SELECT receipt_id, requested_at < clock_timestamp() - interval '10 minutes' AS is_late
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND completed_at IS NULL;


-- name: unreceived_version
-- The newest registration that still waits for its bytes.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IS NULL AND received_at IS NULL
ORDER BY version DESC
LIMIT 1;
