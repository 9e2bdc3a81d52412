-- name: add_model
-- A model that a tenant uses.
INSERT INTO embedding_model (tenant_id, model)
VALUES (%(tenant_id)s, %(model)s)
ON CONFLICT DO NOTHING;


-- name: lock_collection
-- A collection, locked against new documents: they take its key in share.
SELECT collection_id, active_model AS model, chunk_profile, retrieval_profile, language,
       ocr_languages
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL
FOR UPDATE;


-- name: revive_model
-- A model that a collection is searched by is in use, whatever was said of it before.
UPDATE embedding_model
SET state = 'READY', error = NULL, probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state <> 'READY';
