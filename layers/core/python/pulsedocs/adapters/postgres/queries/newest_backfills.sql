-- The backfills of a model, newest first.
SELECT backfill_id, model, collection.name AS collection, state, error, requested_at, ended_at
FROM model_backfill
LEFT JOIN collection
    ON collection.tenant_id = model_backfill.tenant_id
    AND collection.collection_id = model_backfill.collection_id
WHERE model_backfill.tenant_id = %(tenant_id)s AND model = %(model)s
    AND (%(collection_id)s::uuid IS NULL
         OR coalesce(model_backfill.collection_id, %(collection_id)s) = %(collection_id)s)
ORDER BY requested_at DESC, backfill_id
LIMIT 10;
