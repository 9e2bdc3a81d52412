-- What a holder holds, locked until the transaction ends.
SELECT day, pages, tokens, microdollars, day = (now() AT TIME ZONE 'UTC')::date AS is_of_today
FROM budget_reservation
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s
FOR UPDATE;
