-- name: drop_model
-- Whether a model's partition is gone; it stays while any tenant has the model.
SELECT drop_embedding_model(%(model)s);


-- name: forget_model
-- A retired model of a tenant, once no collection names it.
DELETE FROM embedding_model
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state = 'RETIRED'
    AND NOT EXISTS (
        SELECT FROM collection
        WHERE collection.tenant_id = embedding_model.tenant_id
            AND collection.active_model = embedding_model.model);


-- name: retired_failures
-- The refusals of a model that its tenant has retired.
DELETE FROM embedding_failure
USING embedding_model
WHERE embedding_failure.tenant_id = %(tenant_id)s AND embedding_failure.model = %(model)s
    AND embedding_model.tenant_id = embedding_failure.tenant_id
    AND embedding_model.model = embedding_failure.model
    AND embedding_model.state = 'RETIRED';


-- name: retired_vectors
-- Some of the vectors of a model that its tenant has retired.
DELETE FROM chunk_embedding
WHERE (tenant_id, document_id, version, chunk_id, model_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id, part.model_id
    FROM chunk_embedding AS part
    JOIN stage_model USING (model_id)
    JOIN embedding_model
        ON embedding_model.tenant_id = part.tenant_id
        AND embedding_model.model = stage_model.model
        AND embedding_model.state = 'RETIRED'
    WHERE part.tenant_id = %(tenant_id)s AND stage_model.model = %(model)s
    LIMIT %(rows)s);
