-- A tenant without limits of its own has the stage's again.
DELETE FROM tenant_budget WHERE tenant_id = %(tenant_id)s;
