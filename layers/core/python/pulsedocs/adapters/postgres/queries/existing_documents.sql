-- Which of these ids are documents, deleted ones that wait for their own purge among them.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[]);
