-- Whether a limit holds for what questions take; the stage's where the tenant has none of its own.
SELECT coalesce(
    (SELECT num_nonnulls(tokens_per_day, microdollars_per_day) > 0
     FROM tenant_budget
     WHERE tenant_id = %(tenant_id)s),
    %(is_limited)s::boolean);
