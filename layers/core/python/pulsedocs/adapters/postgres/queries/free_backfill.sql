-- A backfill that another execution is to go on with.
UPDATE model_backfill
SET state = 'REQUESTED', holder = NULL, lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s;
