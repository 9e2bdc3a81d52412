-- A question's cost, settled once: on its reservation, or on a row of its own without one.
INSERT INTO usage (
    tenant_id, usage_id, state, method, model, user_id, trace_id, input_tokens, output_tokens,
    cost_usd, settled_at)
VALUES (
    %(tenant_id)s, %(usage_id)s, 'SETTLED', %(method)s, %(model)s, %(user_id)s, %(trace_id)s,
    %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, clock_timestamp())
ON CONFLICT (tenant_id, usage_id) DO UPDATE
SET state = 'SETTLED',
    method = excluded.method,
    model = excluded.model,
    user_id = excluded.user_id,
    trace_id = excluded.trace_id,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens,
    cost_usd = excluded.cost_usd,
    settled_at = excluded.settled_at
WHERE usage.state <> 'SETTLED';
