-- Start a conversation, or take it up again and lock it; its time starts anew.
INSERT INTO conversation (tenant_id, conversation_id, expires_at)
VALUES (%(tenant_id)s, %(conversation_id)s,
        clock_timestamp() + make_interval(days => %(days)s::integer))
ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET expires_at = excluded.expires_at;
