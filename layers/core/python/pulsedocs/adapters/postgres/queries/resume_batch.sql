-- A batch that no execution works on, free for the next one; no row while one does.
UPDATE batch
SET holder = NULL, ended_at = NULL
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s
    AND (holder IS NULL OR ended_at IS NOT NULL)
RETURNING prefix, choices;
