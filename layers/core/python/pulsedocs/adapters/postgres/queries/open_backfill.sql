-- The backfill of this extent that is asked for or under way.
SELECT backfill_id FROM model_backfill
WHERE tenant_id = %(tenant_id)s AND model = %(model)s
    AND collection_id IS NOT DISTINCT FROM %(collection_id)s
    AND state IN ('REQUESTED', 'RUNNING');
