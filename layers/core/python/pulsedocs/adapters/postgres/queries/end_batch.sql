-- The batch that an execution worked on, which has ended.
UPDATE batch
SET ended_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND holder = %(holder)s
    AND ended_at IS NULL;
