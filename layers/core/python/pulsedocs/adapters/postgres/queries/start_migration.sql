-- A collection that tries another model from now on.
INSERT INTO collection_migration (
    tenant_id, collection_id, from_model, to_model, started_by, changed_by)
VALUES (%(tenant_id)s, %(collection_id)s, %(from_model)s, %(to_model)s, %(actor)s, %(actor)s)
ON CONFLICT (tenant_id, collection_id) DO UPDATE
SET from_model = excluded.from_model, to_model = excluded.to_model, state = 'SHADOW',
    started_at = clock_timestamp(), started_by = excluded.started_by,
    changed_at = clock_timestamp(), changed_by = excluded.changed_by;
