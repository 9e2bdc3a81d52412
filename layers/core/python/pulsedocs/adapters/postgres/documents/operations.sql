-- name: cancellable_versions
-- The versions of a document that are on their way, held, or waiting for a person.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND (outcome IS NULL OR outcome = 'PARKED')
ORDER BY version
FOR UPDATE;


-- name: outcome_of_version
-- How a version ended, if it has.
SELECT outcome
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: redrivable_versions
-- What ended FAILED or PARKED, is a document's newest upload, and was not asked for lately.
SELECT waiting.document_id, waiting.version, waiting.outcome, waiting.error ->> 'code' AS code,
       ended.at
FROM document_version AS waiting
JOIN document USING (tenant_id, document_id)
CROSS JOIN LATERAL (SELECT (waiting.history -> -1 ->> 'at')::timestamptz AS at) AS ended
WHERE waiting.tenant_id = %(tenant_id)s
    AND waiting.outcome IN ('PARKED', 'FAILED')
    AND waiting.received_at IS NOT NULL
    AND document.deleted_at IS NULL
    AND NOT EXISTS (
        SELECT FROM document_version AS newer
        WHERE newer.tenant_id = waiting.tenant_id
            AND newer.document_id = waiting.document_id
            AND newer.version > waiting.version
            AND newer.received_at IS NOT NULL)
    AND (%(code)s::text IS NULL OR waiting.error ->> 'code' = %(code)s)
    AND ended.at <= clock_timestamp() - %(older_than)s::interval
    AND (waiting.requested_at IS NULL
         OR waiting.requested_at < clock_timestamp() - interval '15 minutes')
ORDER BY ended.at, waiting.document_id
LIMIT %(limit)s
FOR UPDATE OF document SKIP LOCKED;
