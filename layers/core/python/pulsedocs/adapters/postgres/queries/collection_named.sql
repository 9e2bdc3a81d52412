-- One collection and what it chooses for its documents; it stays while they are registered.
SELECT collection_id, chunk_profile
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(collection)s
FOR KEY SHARE;
