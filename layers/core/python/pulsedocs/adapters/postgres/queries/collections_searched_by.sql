-- The collections that are searched by a model.
SELECT name FROM collection
WHERE tenant_id = %(tenant_id)s AND active_model = %(model)s AND deleted_at IS NULL
ORDER BY name;
