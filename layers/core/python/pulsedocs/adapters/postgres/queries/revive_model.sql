-- A model that a collection is searched by is in use, whatever was said of it before.
UPDATE embedding_model
SET state = 'READY', error = NULL, probe_id = NULL
WHERE tenant_id = %(tenant_id)s AND model = %(model)s AND state <> 'READY';
