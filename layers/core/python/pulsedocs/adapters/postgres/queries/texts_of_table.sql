-- The texts of all rows of one table, with the document that a row belongs to.
SELECT {owner} AS document_id, {columns}
FROM {searched} AS searched
WHERE searched.tenant_id = %(tenant_id)s;
