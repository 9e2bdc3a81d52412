-- What a tenant's conversations say, to look for words that are to be gone.
SELECT conversation_id, turn, question, answer
FROM conversation_turn
WHERE tenant_id = %(tenant_id)s;
