-- A version for which a run is asked, and how often a sweep did since a person last asked.
UPDATE document_version
SET requested_at = clock_timestamp(),
    automatic_attempts = %(attempts)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
