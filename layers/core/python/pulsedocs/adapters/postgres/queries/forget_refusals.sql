-- The objects of a batch that became nothing, to be tried once more.
UPDATE batch_item
SET outcome = NULL, code = NULL, message = NULL
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND outcome IS NOT NULL;
