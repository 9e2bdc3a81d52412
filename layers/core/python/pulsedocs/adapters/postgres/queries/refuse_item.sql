-- The object of a batch that became nothing, with the reason.
UPDATE batch_item
SET outcome = %(outcome)s, code = %(code)s, message = %(message)s
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND source = %(source)s
    AND version IS NULL;
