-- name: retrieval_collections
-- The asked collections that exist, with the model to search them by, and its partition where it is
-- ready.
SELECT collection.name,
       collection.collection_id,
       collection.shelf,
       collection.language::text AS language,
       coalesce(%(model)s::text, collection.active_model) AS model,
       collection.retrieval_profile,
       embedding_model.state AS model_state,
       stage_model.model_id,
       stage_model.dimensions,
       EXISTS (
           SELECT FROM pg_index
           WHERE indexrelid = to_regclass('chunk_embedding_' || stage_model.model_id || '_hnsw')
               AND indisvalid) AS is_indexed
FROM collection
LEFT JOIN embedding_model
    ON embedding_model.tenant_id = collection.tenant_id
    AND embedding_model.model = coalesce(%(model)s::text, collection.active_model)
LEFT JOIN stage_model
    ON stage_model.model = embedding_model.model
    AND embedding_model.state = 'READY'
WHERE collection.tenant_id = %(tenant_id)s AND collection.name = ANY(%(names)s);
