-- Today's row, made with the first use of the day.
INSERT INTO budget_day (tenant_id, day)
VALUES (%(tenant_id)s, (now() AT TIME ZONE 'UTC')::date)
ON CONFLICT (tenant_id, day) DO NOTHING;
