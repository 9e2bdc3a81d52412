-- One conversation with its turns, unless its time is up: then it is not there for anyone.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at > clock_timestamp();
