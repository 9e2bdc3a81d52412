-- The migration of a collection.
SELECT collection.name AS collection, collection.active_model, from_model, to_model, state,
       started_at, started_by, changed_at, changed_by
FROM collection_migration
JOIN collection USING (tenant_id, collection_id)
WHERE collection_migration.tenant_id = %(tenant_id)s
    AND collection_migration.collection_id = %(collection_id)s;
