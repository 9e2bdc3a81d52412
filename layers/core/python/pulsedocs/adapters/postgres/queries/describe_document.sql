-- What a new registration says of a document; what it leaves out stays.
UPDATE document
SET source = %(source)s,
    title = coalesce(%(title)s, title),
    metadata = metadata || %(metadata)s,
    content_date = coalesce(%(content_date)s, content_date),
    latest_version = %(version)s,
    updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
