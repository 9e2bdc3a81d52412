-- A tenant's models by name, or one of them, with the collections that are searched by each.
SELECT embedding_model.model,
       stage_model.dimensions,
       embedding_model.state,
       embedding_model.error,
       embedding_model.registered_at,
       embedding_model.registered_by,
       ARRAY(SELECT collection.name
             FROM collection
             WHERE collection.tenant_id = embedding_model.tenant_id
                 AND collection.active_model = embedding_model.model
                 AND collection.deleted_at IS NULL
             ORDER BY collection.name) AS active_in,
       ARRAY(SELECT collection.name
             FROM collection_migration
             JOIN collection USING (tenant_id, collection_id)
             WHERE collection_migration.tenant_id = embedding_model.tenant_id
                 AND embedding_model.model IN (from_model, to_model)
                 AND collection.active_model <> embedding_model.model
                 AND collection.deleted_at IS NULL
             ORDER BY collection.name) AS shadow_in
FROM embedding_model
JOIN stage_model USING (model)
WHERE embedding_model.tenant_id = %(tenant_id)s
    AND (%(model)s::text IS NULL OR embedding_model.model = %(model)s)
ORDER BY embedding_model.model;
