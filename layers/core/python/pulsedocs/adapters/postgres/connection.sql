-- name: bind_tenant (kept)
-- The tenant whose rows this transaction sees, as the server understood it.
SELECT set_config('app.tenant_id', %(tenant_id)s, true) AS tenant_id;
