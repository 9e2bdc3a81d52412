-- A deleted collection: its name is free, its row goes with its last document.
UPDATE collection
SET deleted_at = clock_timestamp(), name = 'deleted ' || collection_id
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;
