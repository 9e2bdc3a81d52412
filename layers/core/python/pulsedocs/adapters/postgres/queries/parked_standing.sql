-- Why a version is parked, whether its back-off is over, and whether others got through since.
SELECT error ->> 'code' AS code,
       CASE WHEN error ->> 'code' = 'BUDGET_EXCEEDED'
           THEN parked.at < date_trunc('day', clock_timestamp(), 'UTC')
               OR EXISTS (
                   SELECT FROM tenant_budget
                   WHERE tenant_budget.tenant_id = %(tenant_id)s
                       AND tenant_budget.changed_at > parked.at)
           ELSE parked.at
               + least(interval '15 minutes' * power(2, least(parked.times, 10) - 1),
                       interval '1 day') <= clock_timestamp()
       END AS is_due,
       error ->> 'code' <> 'BUDGET_EXCEEDED' AND EXISTS (
           SELECT FROM usage
           WHERE usage.tenant_id = %(tenant_id)s
               AND usage.method = 'embed'
               AND usage.settled_at > parked.at) AS is_over
FROM document_version
CROSS JOIN LATERAL (
    SELECT max((entry ->> 'at')::timestamptz) AS at, count(*)::integer AS times
    FROM jsonb_array_elements(document_version.history) AS entry
    WHERE entry ->> 'state' = 'PARKED') AS parked
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND outcome = 'PARKED';
