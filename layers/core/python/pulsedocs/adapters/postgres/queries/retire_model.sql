-- A model that is used no more.
UPDATE embedding_model
SET state = 'RETIRED', error = NULL, probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s;
