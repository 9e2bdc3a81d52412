-- What was spent on what nobody keeps, once: its document or its model went meanwhile.
INSERT INTO usage (
    tenant_id, usage_id, state, method, model, document_id, input_tokens, cost_usd, settled_at)
VALUES (
    %(tenant_id)s, %(usage_id)s, 'SETTLED', %(method)s, %(model)s, %(document_id)s,
    %(input_tokens)s, %(cost_usd)s::double precision, clock_timestamp())
ON CONFLICT DO NOTHING;
