-- A model that a tenant uses.
INSERT INTO embedding_model (tenant_id, model)
VALUES (%(tenant_id)s, %(model)s)
ON CONFLICT DO NOTHING;
