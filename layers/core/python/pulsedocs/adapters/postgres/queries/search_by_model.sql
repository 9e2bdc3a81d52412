-- A collection that is searched by another model from now on.
UPDATE collection SET active_model = %(model)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;
