-- The batch, taken by an execution; no row when another one has it or it has ended.
UPDATE batch
SET holder = %(holder)s
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND ended_at IS NULL
    AND coalesce(holder, %(holder)s) = %(holder)s
RETURNING listed_at IS NOT NULL;
