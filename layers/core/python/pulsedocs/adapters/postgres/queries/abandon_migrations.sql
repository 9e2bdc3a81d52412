-- The migrations from or to a model that is searched by nowhere.
DELETE FROM collection_migration
WHERE tenant_id = %(tenant_id)s AND %(model)s IN (from_model, to_model)
RETURNING collection_id;
