-- Reserves of today what fits below each limit, all or nothing; no row says that it does not fit.
WITH own AS (
    SELECT pages_per_day, tokens_per_day, microdollars_per_day
    FROM tenant_budget
    WHERE tenant_id = %(tenant_id)s
),
allowed AS (
    SELECT pages_per_day, tokens_per_day, microdollars_per_day FROM own
    UNION ALL
    SELECT %(pages_limit)s::bigint, %(tokens_limit)s::bigint, %(microdollars_limit)s::bigint
    WHERE NOT EXISTS (SELECT FROM own)
)
UPDATE budget_day
SET pages_reserved = pages_reserved + %(pages)s::bigint,
    tokens_reserved = tokens_reserved + %(tokens)s::bigint,
    microdollars_reserved = microdollars_reserved + %(microdollars)s::bigint
FROM allowed
WHERE tenant_id = %(tenant_id)s
    AND day = (now() AT TIME ZONE 'UTC')::date
    AND (%(pages)s::bigint <= 0
         OR allowed.pages_per_day IS NULL
         OR pages_used + pages_reserved + %(pages)s::bigint <= allowed.pages_per_day)
    AND (%(tokens)s::bigint <= 0
         OR allowed.tokens_per_day IS NULL
         OR tokens_used + tokens_reserved + %(tokens)s::bigint <= allowed.tokens_per_day)
    AND (%(microdollars)s::bigint <= 0
         OR allowed.microdollars_per_day IS NULL
         OR microdollars_used + microdollars_reserved + %(microdollars)s::bigint
             <= allowed.microdollars_per_day)
RETURNING day;
