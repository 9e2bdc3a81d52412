-- The right to write, for a quarter of an hour of the database's clock: longer than any step.
UPDATE document_version
SET fence = fence + %(takes_over)s::int,
    attempts = least(attempts + %(takes_over)s::int, 1000),
    lease_until = clock_timestamp() + interval '15 minutes',
    lease_holder = %(holder)s,
    requested_at = NULL,
    state = CASE state WHEN 'UPLOADED' THEN 'PROCESSING' ELSE state END
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
RETURNING fence;
