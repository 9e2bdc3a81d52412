-- A version after a step: its new state, its outcome if the step ended it, else a renewed lease.
UPDATE document_version
SET state = %(state)s,
    outcome = %(outcome)s,
    error = %(error)s,
    lease_until = CASE
        WHEN %(keeps_lease)s THEN clock_timestamp() + interval '15 minutes' END,
    lease_holder = CASE WHEN %(keeps_lease)s THEN lease_holder END
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND fence = %(fence)s;
