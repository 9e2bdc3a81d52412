-- How often a sweep asked for a version, and whether it may again: 15, 30, 60 ... minutes later.
SELECT automatic_attempts,
       requested_at IS NOT NULL AS is_requested,
       coalesce(greatest(lease_until, requested_at), registered_at)
           + CASE
               WHEN automatic_attempts > 0
                   THEN interval '15 minutes' * power(2, least(automatic_attempts, 10) - 1)
               WHEN requested_at IS NOT NULL OR received_at IS NULL THEN interval '10 minutes'
               ELSE interval '0'
           END <= clock_timestamp() AS is_due
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
