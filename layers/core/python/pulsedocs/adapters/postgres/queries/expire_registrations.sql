-- Registrations whose bytes never came: the form was open for minutes, an hour is over.
UPDATE document_version
SET outcome = 'CANCELLED', error = %(error)s, fence = fence + 1
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND outcome IS NULL AND received_at IS NULL
    AND registered_at < clock_timestamp() - interval '1 hour'
RETURNING version;
