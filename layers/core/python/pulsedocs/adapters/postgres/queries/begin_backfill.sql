-- A backfill taken by an execution: a free one, its own, or one whose execution is long gone.
UPDATE model_backfill
SET state = 'RUNNING', holder = %(holder)s, lease_until = clock_timestamp() + interval '6 hours'
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND (state = 'REQUESTED'
         OR state = 'RUNNING' AND (holder = %(holder)s OR lease_until < clock_timestamp()))
RETURNING model, position;
