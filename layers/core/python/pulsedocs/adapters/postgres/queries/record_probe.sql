-- A model that has been probed, by the probe that it waits for.
UPDATE embedding_model
SET state = CASE WHEN %(error)s::jsonb IS NULL THEN 'READY' ELSE 'FAILED' END,
    error = %(error)s,
    probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND state = 'PROBING' AND probe_id = %(probe_id)s
    AND (%(model)s::text IS NULL OR model = %(model)s)
RETURNING model;
