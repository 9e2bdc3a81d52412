-- The backfills of a model that are open: they end with a reason.
UPDATE model_backfill
SET state = 'FAILED', error = %(error)s, ended_at = clock_timestamp(), holder = NULL,
    lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state IN ('REQUESTED', 'RUNNING');
