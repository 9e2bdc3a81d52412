-- What a step spent at a provider; null dollars are a price that is not known.
INSERT INTO usage (
    tenant_id, state, method, model, source, document_id, input_tokens, cost_usd, settled_at)
SELECT tenant_id, 'SETTLED', %(method)s, %(model)s, source, document_id, %(input_tokens)s,
       %(cost_usd)s::double precision, clock_timestamp()
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
