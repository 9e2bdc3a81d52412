-- name: change_collection
-- What a collection chooses for its documents and questions.
UPDATE collection
SET active_model = %(model)s,
    chunk_profile = %(chunk_profile)s,
    retrieval_profile = %(retrieval_profile)s,
    language = %(language)s,
    ocr_languages = %(ocr_languages)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;


-- name: create_collection
-- A collection made by name; no row when the name is taken.
INSERT INTO collection (
    tenant_id, name, active_model, chunk_profile, retrieval_profile, language, ocr_languages)
VALUES (
    %(tenant_id)s, %(name)s, %(model)s, %(chunk_profile)s, %(retrieval_profile)s, %(language)s,
    %(ocr_languages)s)
ON CONFLICT DO NOTHING
RETURNING collection_id;


-- name: documents_of_collection
-- The documents of a collection, locked in the order of their ids.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND deleted_at IS NULL
ORDER BY document_id
FOR UPDATE;


-- name: give_away_name
-- A deleted collection: its name is free, its row goes with its last document.
UPDATE collection
SET deleted_at = clock_timestamp(), name = 'deleted ' || collection_id
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;


-- name: has_documents
-- Whether a collection has documents that were not deleted.
SELECT EXISTS (
    SELECT FROM document
    WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND deleted_at IS NULL);


-- name: languages
-- The text search configurations of this PostgreSQL: the languages a collection may have.
SELECT cfgname::text
FROM pg_ts_config
WHERE cfgnamespace = 'pg_catalog'::regnamespace
ORDER BY cfgname;
