-- A document's description; its content stays as it is.
UPDATE document
SET metadata = %(metadata)s,
    title = %(title)s,
    content_date = %(content_date)s,
    updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
