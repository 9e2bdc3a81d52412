-- A retired model of a tenant, once no collection names it.
DELETE FROM embedding_model
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state = 'RETIRED'
    AND NOT EXISTS (
        SELECT FROM collection
        WHERE collection.tenant_id = embedding_model.tenant_id
            AND collection.active_model = embedding_model.model);
