-- The state of a model of the tenant, locked against those who use it.
SELECT state FROM embedding_model
WHERE tenant_id = %(tenant_id)s AND model = %(model)s
FOR UPDATE;
