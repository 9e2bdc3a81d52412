-- A migration that was promoted or rolled back.
UPDATE collection_migration
SET state = %(state)s, changed_at = clock_timestamp(), changed_by = %(actor)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;
