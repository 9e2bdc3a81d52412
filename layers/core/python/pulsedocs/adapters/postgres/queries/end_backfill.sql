-- A backfill that has ended, with the reason if it failed.
UPDATE model_backfill
SET state = CASE WHEN %(error)s::jsonb IS NULL THEN 'FINISHED' ELSE 'FAILED' END,
    error = %(error)s, ended_at = clock_timestamp(), holder = NULL, lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s
RETURNING model;
