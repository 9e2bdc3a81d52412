-- The reservation of a holder, locked and renewed; made without an amount if there is none.
INSERT INTO budget_reservation (tenant_id, holder, model, day, expires_at)
VALUES (%(tenant_id)s, %(holder)s, %(model)s, (now() AT TIME ZONE 'UTC')::date,
        clock_timestamp() + make_interval(mins => %(lease_minutes)s))
ON CONFLICT (tenant_id, holder, model) DO UPDATE
SET expires_at = excluded.expires_at
RETURNING day, pages, tokens, microdollars, day = (now() AT TIME ZONE 'UTC')::date AS is_of_today;
