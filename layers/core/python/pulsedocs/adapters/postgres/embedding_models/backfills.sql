-- name: begin_backfill
-- A backfill taken by an execution: a free one, its own, or one whose execution is long gone.
UPDATE model_backfill
SET state = 'RUNNING', holder = %(holder)s, lease_until = clock_timestamp() + interval '6 hours'
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND (state = 'REQUESTED'
         OR state = 'RUNNING' AND (holder = %(holder)s OR lease_until < clock_timestamp()))
RETURNING model, position;


-- name: chunks_to_backfill
-- Chunks, published or held, that lack a model's vector, in the order of their key.
SELECT document_chunk.document_id, document_chunk.version, document_chunk.chunk_id,
       document_chunk.content_hash,
       concat_ws(E'\n', document_chunk.context_before, document_chunk.text,
                 document_chunk.context_after)
FROM document
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND (document_version.version = document.published_version
         OR document_version.outcome IS NULL AND document_version.state = 'EMBEDDED')
JOIN document_chunk
    ON document_chunk.tenant_id = document_version.tenant_id
    AND document_chunk.document_id = document_version.document_id
    AND document_chunk.version = document_version.version
WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
    AND document.document_id >= %(document_id)s
    AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
    AND (document_chunk.document_id, document_chunk.version, document_chunk.chunk_id)
        > (%(document_id)s, %(version)s, %(chunk_id)s)
    -- include: waits_for_vector
ORDER BY document_chunk.document_id, document_chunk.version, document_chunk.chunk_id
LIMIT %(limit)s;


-- name: end_backfill
-- A backfill that has ended, with the reason if it failed.
UPDATE model_backfill
SET state = CASE WHEN %(error)s::jsonb IS NULL THEN 'FINISHED' ELSE 'FAILED' END,
    error = %(error)s, ended_at = clock_timestamp(), holder = NULL, lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s
RETURNING model;


-- name: free_backfill
-- A backfill that another execution is to go on with.
UPDATE model_backfill
SET state = 'REQUESTED', holder = NULL, lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s;


-- name: lock_backfill
-- A backfill that this execution still works on: where it is now, and what it is about.
UPDATE model_backfill
SET position = %(position)s, lease_until = clock_timestamp() + interval '6 hours'
WHERE tenant_id = %(tenant_id)s AND backfill_id = %(backfill_id)s
    AND state = 'RUNNING' AND holder = %(holder)s
RETURNING model, collection_id;


-- name: other_models_of_version
-- The other models of a version's collection: its shadow model, or the one before a promotion.
SELECT CASE collection.active_model WHEN to_model THEN from_model ELSE to_model END AS model
FROM document_version
JOIN collection USING (tenant_id, collection_id)
JOIN collection_migration USING (tenant_id, collection_id)
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;


-- name: record_probe
-- A model that has been probed, by the probe that it waits for.
UPDATE embedding_model
SET state = CASE WHEN %(error)s::jsonb IS NULL THEN 'READY' ELSE 'FAILED' END,
    error = %(error)s,
    probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND state = 'PROBING' AND probe_id = %(probe_id)s
    AND (%(model)s::text IS NULL OR model = %(model)s)
RETURNING model;


-- name: share_document
-- A document that was not deleted, locked against deletion and publication, not against readers.
SELECT document_id FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL
FOR SHARE;


-- name: stale_documents
-- Published documents whose content would be made otherwise by now, locked in the order of ids.
SELECT document.document_id
FROM document
JOIN collection
    ON collection.tenant_id = document.tenant_id
    AND collection.collection_id = document.collection_id
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.deleted_at IS NULL
    AND document.document_id > %(after)s
    AND (%(collection_id)s::uuid IS NULL OR document.collection_id = %(collection_id)s)
    AND (document_version.pipeline_revision <> %(pipeline_revision)s
         OR document_version.embedded_title
             <> coalesce(document.title, document_version.file_title, '')
         OR document_version.inherits_profile
             AND document_version.chunking ->> 'profile' <> collection.chunk_profile)
ORDER BY document.document_id
LIMIT %(limit)s
FOR UPDATE OF document;
