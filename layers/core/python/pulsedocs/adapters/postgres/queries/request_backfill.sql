-- A backfill that is asked for, unless one of the same extent is open.
INSERT INTO model_backfill (tenant_id, backfill_id, model, collection_id, requested_by)
VALUES (%(tenant_id)s, %(backfill_id)s, %(model)s, %(collection_id)s, %(actor)s)
ON CONFLICT (tenant_id, model, collection_id) WHERE state IN ('REQUESTED', 'RUNNING') DO NOTHING
RETURNING backfill_id;
