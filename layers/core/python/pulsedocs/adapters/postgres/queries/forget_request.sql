-- An idempotent request that failed and may be sent again.
DELETE FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND key = %(key)s AND status IS NULL;
