-- Whether a collection exists.
SELECT true
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(collection)s;
