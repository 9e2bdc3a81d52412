-- A collection that did not exist before its first document.
INSERT INTO collection (tenant_id, name, active_model)
VALUES (%(tenant_id)s, %(collection)s, %(model)s)
ON CONFLICT DO NOTHING;
