-- A version that somebody other than its run ends: the run's next write is fenced out.
UPDATE document_version
SET outcome = %(outcome)s,
    error = %(error)s,
    fence = fence + 1,
    lease_until = NULL,
    lease_holder = NULL,
    requested_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
