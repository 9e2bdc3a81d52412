-- A collection whose model may change: nobody else changes it now, documents are registered.
SELECT collection_id, active_model
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL
FOR NO KEY UPDATE;
