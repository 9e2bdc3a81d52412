-- A reservation that is settled.
DELETE FROM budget_reservation
WHERE tenant_id = %(tenant_id)s AND holder = %(holder)s AND model = %(model)s;
