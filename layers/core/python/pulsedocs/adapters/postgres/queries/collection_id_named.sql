-- The collection of a name.
SELECT collection_id FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL;
