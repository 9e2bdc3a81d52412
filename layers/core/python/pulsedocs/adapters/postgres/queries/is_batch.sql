-- Whether there is a batch of this id.
SELECT true
FROM batch
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s;
