-- A collection, locked against new documents: they take its key in share.
SELECT collection_id, active_model AS model, chunk_profile, retrieval_profile, language
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(name)s AND deleted_at IS NULL
FOR UPDATE;
