-- How many rows of one table belong to a document.
SELECT count(*)
FROM {searched} AS searched
WHERE searched.tenant_id = %(tenant_id)s AND searched.document_id = %(document_id)s;
