-- An idempotent request that starts; no row when its key is known.
INSERT INTO idempotency_key (tenant_id, key, request_hash, expires_at)
VALUES (%(tenant_id)s, %(key)s, %(request_hash)s, clock_timestamp() + interval '24 hours')
ON CONFLICT DO NOTHING
RETURNING key;
