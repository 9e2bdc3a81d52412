-- An idempotent request that starts over.
UPDATE idempotency_key
SET request_hash = %(request_hash)s, status = NULL, response = NULL,
    created_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours'
WHERE tenant_id = %(tenant_id)s AND key = %(key)s;
