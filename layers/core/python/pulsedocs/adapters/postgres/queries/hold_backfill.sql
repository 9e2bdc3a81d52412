-- A backfill that this execution still holds: where it is now, and what it is about.
UPDATE model_backfill
SET position = %(position)s, lease_until = clock_timestamp() + interval '6 hours'
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s
RETURNING model, collection_id;
