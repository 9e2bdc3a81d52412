-- One conversation, unless its time is up.
SELECT conversation_id, created_at, expires_at
FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at > clock_timestamp();
