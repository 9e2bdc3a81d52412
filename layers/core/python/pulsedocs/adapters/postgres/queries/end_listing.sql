-- A batch whose objects are all known.
UPDATE batch
SET listed_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND listed_at IS NULL;
