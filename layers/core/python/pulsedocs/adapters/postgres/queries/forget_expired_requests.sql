-- Idempotency keys that are older than a day.
DELETE FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND expires_at < clock_timestamp();
