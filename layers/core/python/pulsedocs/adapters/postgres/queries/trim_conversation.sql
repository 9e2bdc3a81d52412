-- Forget the turns of a conversation beyond the newest ones.
DELETE FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND turn <= (SELECT max(turn) FROM conversation_turn
                 WHERE tenant_id = %(tenant_id)s AND conversation_id = %(conversation_id)s)
                - %(most)s::integer;
