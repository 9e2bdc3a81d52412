-- A conversation whose time is up starts again empty, under the same id.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at <= clock_timestamp();
