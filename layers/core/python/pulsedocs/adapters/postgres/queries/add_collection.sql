-- A collection that did not exist before its first document.
INSERT INTO collection (tenant_id, name, active_model, chunk_profile)
VALUES (%(tenant_id)s, %(collection)s, %(model)s, %(chunk_profile)s)
ON CONFLICT DO NOTHING;
