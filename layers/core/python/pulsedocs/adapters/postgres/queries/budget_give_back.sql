-- Reservations that end unsettled: all of one holder, or of anybody those whose time is over.
WITH ending AS (
    SELECT holder, model
    FROM budget_reservation
    WHERE tenant_id = %(tenant_id)s
        AND (holder = %(holder)s::uuid
             OR (%(holder)s::uuid IS NULL AND expires_at < clock_timestamp()))
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
