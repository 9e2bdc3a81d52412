-- A document that only says why its bytes were refused; no row when its id is taken.
INSERT INTO document (tenant_id, document_id, collection_id, source, title)
VALUES (%(tenant_id)s, %(document_id)s, %(collection_id)s, %(source)s, %(title)s)
ON CONFLICT DO NOTHING
RETURNING document_id, collection_id, latest_version;
