-- A batch and how far it has come.
SELECT prefix, holder, created_at, listed_at, ended_at
FROM batch
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s;
