-- name: abandon_migrations
-- The migrations from or to a model that is searched by nowhere.
DELETE FROM collection_migration
WHERE tenant_id = %(tenant_id)s AND %(model)s IN (from_model, to_model)
RETURNING collection_id;


-- name: collection_id_named
-- The collection of a name.
SELECT collection_id FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL;


-- name: collections_searched_by
-- The collections that are searched by a model.
SELECT name FROM collection
WHERE tenant_id = %(tenant_id)s AND active_model = %(model)s AND deleted_at IS NULL
ORDER BY name;


-- name: end_backfills_of_model
-- The backfills of a model that are open: they end with a reason.
UPDATE model_backfill
SET state = 'FAILED', error = %(error)s, ended_at = clock_timestamp(), holder = NULL,
    lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state IN ('REQUESTED', 'RUNNING');


-- name: lock_model
-- The state of a model of the tenant, locked against those who use it.
SELECT state FROM embedding_model
WHERE tenant_id = %(tenant_id)s AND model = %(model)s
FOR UPDATE;


-- name: model_coverage
-- What a model has of the chunks that are published or held, and how many of those are outdated.
WITH shown AS (
    SELECT document_version.document_id,
           document_version.version,
           document_version.pipeline_revision <> %(pipeline_revision)s
           OR document_version.embedded_title
               <> coalesce(document_version.announced ->> 'title', document.title,
                           document_version.file_title, '')
           OR document_version.inherits_profile
               AND document_version.chunking ->> 'profile' <> collection.chunk_profile
           -- Newer bytes, or the same made anew, that are not searchable yet.
           OR EXISTS (
               SELECT FROM document_version AS newer
               WHERE newer.tenant_id = document_version.tenant_id
                   AND newer.document_id = document_version.document_id
                   AND newer.version > document_version.version
                   AND newer.received_at IS NOT NULL
                   AND (newer.outcome IS NULL AND NOT newer.hold
                        OR newer.outcome IN ('FAILED', 'PARKED'))) AS is_stale
    FROM document
    JOIN collection
        ON collection.tenant_id = document.tenant_id
        AND collection.collection_id = document.collection_id
    JOIN document_version
        ON document_version.tenant_id = document.tenant_id
        AND document_version.document_id = document.document_id
        AND (document_version.version = document.published_version
             OR document_version.outcome IS NULL AND document_version.state = 'EMBEDDED')
    WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
        AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
)
SELECT count(*) AS chunks,
       count(chunk_embedding.chunk_id) AS embedded,
       count(embedding_failure.chunk_id) FILTER (WHERE chunk_embedding.chunk_id IS NULL) AS refused,
       count(*) FILTER (
           WHERE chunk_embedding.chunk_id IS NULL AND embedding_failure.chunk_id IS NULL
       ) AS missing,
       count(chunk_embedding.chunk_id) FILTER (WHERE shown.is_stale) AS stale
FROM shown
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = shown.document_id
    AND document_chunk.version = shown.version
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = document_chunk.tenant_id
    AND chunk_embedding.document_id = document_chunk.document_id
    AND chunk_embedding.version = document_chunk.version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = (SELECT model_id FROM stage_model WHERE model = %(model)s)
LEFT JOIN embedding_failure
    ON embedding_failure.tenant_id = document_chunk.tenant_id
    AND embedding_failure.document_id = document_chunk.document_id
    AND embedding_failure.version = document_chunk.version
    AND embedding_failure.chunk_id = document_chunk.chunk_id
    AND embedding_failure.model = %(model)s;


-- name: models
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


-- name: newest_backfills
-- The backfills of a model, newest first.
SELECT backfill_id, model, collection.name AS collection, state, error, requested_at, ended_at
FROM model_backfill
LEFT JOIN collection
    ON collection.tenant_id = model_backfill.tenant_id
    AND collection.collection_id = model_backfill.collection_id
WHERE model_backfill.tenant_id = %(tenant_id)s AND model = %(model)s
    AND (%(collection_id)s::uuid IS NULL
         OR coalesce(model_backfill.collection_id, %(collection_id)s) = %(collection_id)s)
ORDER BY requested_at DESC, backfill_id
LIMIT 10;


-- name: open_backfill
-- The backfill of this extent that is asked for or under way.
SELECT backfill_id FROM model_backfill
WHERE tenant_id = %(tenant_id)s AND model = %(model)s
    AND collection_id IS NOT DISTINCT FROM %(collection_id)s
    AND state IN ('REQUESTED', 'RUNNING');


-- name: probe_model
-- A model that is to be probed, unless it is usable or being probed; the row names the probe.
INSERT INTO embedding_model (tenant_id, model, state, probe_id, registered_by)
VALUES (%(tenant_id)s, %(model)s, 'PROBING', %(probe_id)s, %(actor)s)
ON CONFLICT (tenant_id, model) DO UPDATE
SET state = 'PROBING', probe_id = excluded.probe_id, error = NULL,
    registered_by = excluded.registered_by, registered_at = now()
WHERE embedding_model.state IN ('FAILED', 'RETIRED')
RETURNING probe_id;


-- name: probe_under_way
-- The probe that a model waits for.
SELECT probe_id FROM embedding_model WHERE tenant_id = %(tenant_id)s AND model = %(model)s;


-- name: request_backfill
-- A backfill that is asked for, unless one of the same extent is open.
INSERT INTO model_backfill (tenant_id, backfill_id, model, collection_id, requested_by)
VALUES (%(tenant_id)s, %(backfill_id)s, %(model)s, %(collection_id)s, %(actor)s)
ON CONFLICT (tenant_id, model, collection_id) WHERE state IN ('REQUESTED', 'RUNNING') DO NOTHING
RETURNING backfill_id;


-- name: retire_model
-- A model that is used no more.
UPDATE embedding_model
SET state = 'RETIRED', error = NULL, probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s;
