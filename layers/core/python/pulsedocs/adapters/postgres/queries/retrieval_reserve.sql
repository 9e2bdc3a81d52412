-- A question's reservation; asked again (the answer to the commit was lost) it changes nothing.
INSERT INTO usage (tenant_id, usage_id, method, model, expires_at)
VALUES (%(tenant_id)s, %(usage_id)s, %(method)s, %(model)s,
        clock_timestamp() + interval '10 minutes')
ON CONFLICT (tenant_id, usage_id) DO NOTHING;
