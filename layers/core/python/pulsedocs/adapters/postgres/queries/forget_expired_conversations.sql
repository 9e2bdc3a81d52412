-- Conversations whose time is up, with their turns.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s AND expires_at < clock_timestamp();
