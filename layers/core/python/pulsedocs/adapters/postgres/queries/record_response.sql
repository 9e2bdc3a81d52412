-- The response of an idempotent request that has ended.
UPDATE idempotency_key
SET status = %(status)s, response = %(response)s
WHERE tenant_id = %(tenant_id)s AND key = %(key)s;
