-- An idempotent request that was seen before; one that ran for a minute has died.
SELECT request_hash = %(request_hash)s AS is_same,
       response,
       expires_at < clock_timestamp() AS is_expired,
       status IS NULL AND created_at < clock_timestamp() - interval '1 minute' AS is_abandoned
FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND key = %(key)s
FOR UPDATE;
