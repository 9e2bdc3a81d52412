-- What calls of a tenant took within some days, added up by one key; the most tokens first.
SELECT CASE %(by)s::text
           WHEN 'user_id' THEN usage.user_id
           WHEN 'method' THEN usage.method
           WHEN 'source' THEN usage.source
           WHEN 'model' THEN usage.model
           WHEN 'day' THEN to_char(usage.settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
       END AS key,
       count(*) AS calls,
       sum(usage.input_tokens)::bigint AS input_tokens,
       sum(usage.output_tokens)::bigint AS output_tokens,
       coalesce(sum(usage.cost_usd), 0)::double precision AS cost_usd,
       count(*) FILTER (WHERE usage.cost_usd IS NULL) AS unpriced
FROM usage
WHERE usage.tenant_id = %(tenant_id)s
    AND usage.state = 'SETTLED'
    AND (%(first)s::date IS NULL
         OR usage.settled_at >= %(first)s::date::timestamp AT TIME ZONE 'UTC')
    AND (%(last)s::date IS NULL
         OR usage.settled_at < (%(last)s::date + 1)::timestamp AT TIME ZONE 'UTC')
GROUP BY key
ORDER BY sum(usage.input_tokens + usage.output_tokens) DESC, key
LIMIT 1000;
