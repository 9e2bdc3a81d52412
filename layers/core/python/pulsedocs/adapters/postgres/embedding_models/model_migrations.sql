-- name: change_migration
-- A migration that was promoted or rolled back.
UPDATE collection_migration
SET state = %(state)s, changed_at = clock_timestamp(), changed_by = %(actor)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;


-- name: change_model
-- Nothing; until the transaction ends, nothing is published in the collection.
SELECT pg_advisory_xact_lock(
    hashtextextended('pulsedocs.model of ' || %(collection_id)s::text, 0));


-- name: lock_collections_model
-- A collection whose model may change: nobody else changes it now, documents are registered.
SELECT collection_id, active_model
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL
FOR NO KEY UPDATE;


-- name: migration_of_collection
-- The migration of a collection.
SELECT collection.name AS collection, collection.active_model, from_model, to_model, state,
       started_at, started_by, changed_at, changed_by
FROM collection_migration
JOIN collection USING (tenant_id, collection_id)
WHERE collection_migration.tenant_id = %(tenant_id)s
    AND collection_migration.collection_id = %(collection_id)s;


-- name: sampled_chunks
-- Published chunks that have vectors of two models, spread over a collection, always the same ones.
SELECT document_chunk.chunk_id, old.embedding AS from_vector, new.embedding AS to_vector
FROM document
JOIN document_chunk
    ON document_chunk.tenant_id = document.tenant_id
    AND document_chunk.document_id = document.document_id
    AND document_chunk.version = document.published_version
JOIN chunk_embedding AS old
    ON old.tenant_id = document_chunk.tenant_id
    AND old.document_id = document_chunk.document_id
    AND old.version = document_chunk.version
    AND old.chunk_id = document_chunk.chunk_id
    AND old.model_id = (SELECT model_id FROM stage_model WHERE model = %(from_model)s)
JOIN chunk_embedding AS new
    ON new.tenant_id = document_chunk.tenant_id
    AND new.document_id = document_chunk.document_id
    AND new.version = document_chunk.version
    AND new.chunk_id = document_chunk.chunk_id
    AND new.model_id = (SELECT model_id FROM stage_model WHERE model = %(to_model)s)
WHERE document.tenant_id = %(tenant_id)s AND document.collection_id = %(collection_id)s
    AND document.deleted_at IS NULL
ORDER BY document_chunk.chunk_hash, document_chunk.chunk_id
LIMIT %(limit)s;


-- name: search_by_model
-- A collection that is searched by another model from now on.
UPDATE collection SET active_model = %(model)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;


-- name: start_migration
-- A collection that has a shadow model from now on.
INSERT INTO collection_migration (
    tenant_id, collection_id, from_model, to_model, started_by, changed_by)
VALUES (%(tenant_id)s, %(collection_id)s, %(from_model)s, %(to_model)s, %(actor)s, %(actor)s)
ON CONFLICT (tenant_id, collection_id) DO UPDATE
SET from_model = excluded.from_model, to_model = excluded.to_model, state = 'SHADOW',
    started_at = clock_timestamp(), started_by = excluded.started_by,
    changed_at = clock_timestamp(), changed_by = excluded.changed_by;
