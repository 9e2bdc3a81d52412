-- name: budget_begin_day (kept)
-- Today's row, made with the first use of the day.
INSERT INTO budget_day (tenant_id, day)
VALUES (%(tenant_id)s, (now() AT TIME ZONE 'UTC')::date)
ON CONFLICT (tenant_id, day) DO NOTHING;


-- name: budget_charge (kept)
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


-- name: budget_choose
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


-- name: budget_forget (kept)
-- A reservation that is settled.
DELETE FROM budget_reservation
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s;


-- name: budget_give_back
-- Reservations that end unsettled: all of some holders, or of anybody those whose time is over.
WITH ending AS (
    SELECT holder, model
    FROM budget_reservation
    WHERE tenant_id = %(tenant_id)s
        AND (holder = ANY (%(holders)s::uuid[])
             OR (%(holders)s::uuid[] IS NULL AND expires_at < clock_timestamp()))
    FOR UPDATE SKIP LOCKED
),
ended AS (
    DELETE FROM budget_reservation USING ending
    WHERE budget_reservation.tenant_id = %(tenant_id)s
        AND budget_reservation.holder = ending.holder
        AND budget_reservation.model = ending.model
    RETURNING day, pages, tokens, microdollars
),
given AS (
    SELECT day,
           sum(pages)::bigint AS pages,
           sum(tokens)::bigint AS tokens,
           sum(microdollars)::bigint AS microdollars
    FROM ended
    GROUP BY day
)
UPDATE budget_day
SET pages_reserved = pages_reserved - given.pages,
    tokens_reserved = tokens_reserved - given.tokens,
    microdollars_reserved = microdollars_reserved - given.microdollars
FROM given
WHERE tenant_id = %(tenant_id)s AND budget_day.day = given.day;


-- name: budget_reservation (kept)
-- What a holder has reserved, locked until the transaction ends.
SELECT day, pages, tokens, microdollars, day = (now() AT TIME ZONE 'UTC')::date AS is_of_today
FROM budget_reservation
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s
FOR UPDATE;


-- name: budget_open (kept)
-- The reservation of a holder, locked and renewed; made without an amount if there is none.
INSERT INTO budget_reservation (tenant_id, holder, model, day, expires_at)
VALUES (%(tenant_id)s, %(holder)s, %(model)s, (now() AT TIME ZONE 'UTC')::date,
        clock_timestamp() + make_interval(mins => %(lease_minutes)s))
ON CONFLICT (tenant_id, holder, model) DO UPDATE
SET expires_at = excluded.expires_at
RETURNING day, pages, tokens, microdollars, day = (now() AT TIME ZONE 'UTC')::date AS is_of_today;


-- name: budget_change (kept)
-- What a holder has reserved from now on, and of which day.
UPDATE budget_reservation
SET day = %(day)s, pages = %(pages)s, tokens = %(tokens)s, microdollars = %(microdollars)s
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s;


-- name: budget_leave_choice
-- A tenant without limits of its own has the stage's again.
DELETE FROM tenant_budget WHERE tenant_id = %(tenant_id)s;


-- name: budget_of_today
-- A tenant's limits, whose they are, and what of today is used and reserved. A reservation that
-- has expired counts no more, although nobody has given it back yet.
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
expired AS (
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
       coalesce(budget_day.pages_reserved, 0) - expired.pages AS pages_reserved,
       allowed.tokens_per_day,
       coalesce(budget_day.tokens_used, 0) AS tokens_used,
       coalesce(budget_day.tokens_reserved, 0) - expired.tokens AS tokens_reserved,
       allowed.microdollars_per_day,
       coalesce(budget_day.microdollars_used, 0) AS microdollars_used,
       coalesce(budget_day.microdollars_reserved, 0) - expired.microdollars AS microdollars_reserved
FROM allowed
CROSS JOIN today
CROSS JOIN expired
LEFT JOIN budget_day ON budget_day.tenant_id = %(tenant_id)s AND budget_day.day = today.day;


-- name: budget_take (kept)
-- What is reserved of today, raised all or not at all; no row where it does not fit the limits.
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
