-- The probe that a model waits for.
SELECT probe_id FROM embedding_model WHERE tenant_id = %(tenant_id)s AND model = %(model)s;
