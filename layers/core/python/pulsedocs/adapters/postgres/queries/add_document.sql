-- A document before its first version; no row when its source or id is taken.
INSERT INTO document (
    tenant_id, document_id, collection_id, source, title, metadata, content_date)
VALUES (%(tenant_id)s, %(document_id)s, %(collection_id)s, %(source)s, %(title)s, %(metadata)s,
        %(content_date)s)
ON CONFLICT DO NOTHING
RETURNING document_id, collection_id, latest_version, published_version, deleted_at;
