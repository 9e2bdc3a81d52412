-- All turns of a conversation that may still be shown, in the order in which they were asked.
SELECT question, answer, trace_id, asked_at
FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND NOT EXISTS (
        SELECT FROM unnest(conversation_turn.document_ids) AS used (document_id)
        WHERE NOT EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = conversation_turn.tenant_id
                AND document.document_id = used.document_id
                AND document.deleted_at IS NULL))
ORDER BY turn;
