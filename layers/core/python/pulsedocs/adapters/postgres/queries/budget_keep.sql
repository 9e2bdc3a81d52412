-- What a holder holds from now on, and of which day.
UPDATE budget_reservation
SET day = %(day)s, pages = %(pages)s, tokens = %(tokens)s, microdollars = %(microdollars)s
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s;
