-- A tenant's limits, whose they are, and what of today is used and reserved; late ones count not.
WITH own AS (
    SELECT pages_per_day, tokens_per_day, microdollars_per_day, true AS is_own
    FROM tenant_budget
    WHERE tenant_id = %(tenant_id)s
),
allowed AS (
    SELECT pages_per_day, tokens_per_day, microdollars_per_day, is_own FROM own
    UNION ALL
    SELECT %(pages_limit)s::bigint, %(tokens_limit)s::bigint, %(microdollars_limit)s::bigint, false
    WHERE NOT EXISTS (SELECT FROM own)
),
today AS (
    SELECT (now() AT TIME ZONE 'UTC')::date AS day
),
late AS (
    SELECT coalesce(sum(pages), 0)::bigint AS pages,
           coalesce(sum(tokens), 0)::bigint AS tokens,
           coalesce(sum(microdollars), 0)::bigint AS microdollars
    FROM budget_reservation
    JOIN today USING (day)
    WHERE tenant_id = %(tenant_id)s AND expires_at < clock_timestamp()
)
SELECT ((today.day + 1)::timestamp AT TIME ZONE 'UTC') AS resets_at,
       allowed.is_own,
       allowed.pages_per_day,
       coalesce(budget_day.pages_used, 0) AS pages_used,
       coalesce(budget_day.pages_reserved, 0) - late.pages AS pages_reserved,
       allowed.tokens_per_day,
       coalesce(budget_day.tokens_used, 0) AS tokens_used,
       coalesce(budget_day.tokens_reserved, 0) - late.tokens AS tokens_reserved,
       allowed.microdollars_per_day,
       coalesce(budget_day.microdollars_used, 0) AS microdollars_used,
       coalesce(budget_day.microdollars_reserved, 0) - late.microdollars AS microdollars_reserved
FROM allowed
CROSS JOIN today
CROSS JOIN late
LEFT JOIN budget_day ON budget_day.tenant_id = %(tenant_id)s AND budget_day.day = today.day;
