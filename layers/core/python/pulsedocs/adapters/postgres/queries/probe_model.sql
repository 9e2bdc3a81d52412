-- A model that is to be probed, unless it is usable or being probed; the row names the probe.
INSERT INTO embedding_model (tenant_id, model, state, probe_id, registered_by)
VALUES (%(tenant_id)s, %(model)s, 'PROBING', %(probe_id)s, %(actor)s)
ON CONFLICT (tenant_id, model) DO UPDATE
SET state = 'PROBING', probe_id = excluded.probe_id, error = NULL,
    registered_by = excluded.registered_by, registered_at = now()
WHERE embedding_model.state IN ('FAILED', 'RETIRED')
RETURNING probe_id;
