-- A deletion after a purge; what it looked for is forgotten, what was asked since is not.
UPDATE deletion_receipt
SET before = before || %(before)s,
    after = %(after)s,
    verification = %(verification)s,
    completed_at = CASE WHEN %(is_complete)s THEN coalesce(completed_at, clock_timestamp())
                        ELSE completed_at END,
    sample = CASE WHEN %(is_complete)s OR completed_at IS NOT NULL THEN NULL ELSE sample END,
    asked = CASE WHEN asked = %(asked)s THEN NULL ELSE asked END,
    lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s;
