-- What was spent of a day, and how much less is reserved of it; without a day it is today.
INSERT INTO budget_day AS charged (tenant_id, day, pages_used, tokens_used, microdollars_used)
VALUES (%(tenant_id)s, coalesce(%(day)s::date, (now() AT TIME ZONE 'UTC')::date),
        %(pages)s, %(tokens)s, %(microdollars)s)
ON CONFLICT (tenant_id, day) DO UPDATE
SET pages_used = charged.pages_used + excluded.pages_used,
    tokens_used = charged.tokens_used + excluded.tokens_used,
    microdollars_used = charged.microdollars_used + excluded.microdollars_used,
    pages_reserved = charged.pages_reserved - %(pages_released)s::bigint,
    tokens_reserved = charged.tokens_reserved - %(tokens_released)s::bigint,
    microdollars_reserved = charged.microdollars_reserved - %(microdollars_released)s::bigint;
