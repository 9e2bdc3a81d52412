-- Turns that repeat a deleted document's words, wherever they had them from.
DELETE FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND (conversation_id, turn) IN (
        SELECT * FROM unnest(%(conversations)s::uuid[], %(turns)s::integer[]));
