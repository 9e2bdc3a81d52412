-- A tenant's own limits, in the place of the stage's.
INSERT INTO tenant_budget (
    tenant_id, pages_per_day, tokens_per_day, microdollars_per_day, changed_by)
VALUES (%(tenant_id)s, %(pages)s, %(tokens)s, %(microdollars)s, %(actor)s)
ON CONFLICT (tenant_id) DO UPDATE
SET pages_per_day = excluded.pages_per_day,
    tokens_per_day = excluded.tokens_per_day,
    microdollars_per_day = excluded.microdollars_per_day,
    changed_at = clock_timestamp(),
    changed_by = excluded.changed_by;
