-- The newest turns of a live conversation, newest first; none written from a deleted document.
SELECT question, answer
FROM conversation_turn
JOIN conversation USING (tenant_id, conversation_id)
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND conversation.expires_at > clock_timestamp()
    AND NOT EXISTS (
        SELECT FROM unnest(conversation_turn.document_ids) AS used (document_id)
        WHERE NOT EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = conversation_turn.tenant_id
                AND document.document_id = used.document_id
                AND document.deleted_at IS NULL))
ORDER BY turn DESC
LIMIT %(turns)s;
