-- One document, locked as a run locks it, unless somebody works on it just now.
SELECT collection_id, source, latest_version, latest_sequencer, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE SKIP LOCKED;
