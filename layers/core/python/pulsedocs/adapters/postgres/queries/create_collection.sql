-- A collection made by name; no row when the name is taken.
INSERT INTO collection (
    tenant_id, name, active_model, chunk_profile, retrieval_profile, language)
VALUES (%(tenant_id)s, %(name)s, %(model)s, %(chunk_profile)s, %(retrieval_profile)s, %(language)s)
ON CONFLICT DO NOTHING
RETURNING collection_id;
