-- Add a turn once, under its conversation's lock, unless one of its documents was deleted.
INSERT INTO conversation_turn (
    tenant_id, conversation_id, turn, question, answer, trace_id, document_ids)
SELECT %(tenant_id)s, %(conversation_id)s,
       1 + coalesce((SELECT max(turn) FROM conversation_turn
                     WHERE tenant_id = %(tenant_id)s AND conversation_id = %(conversation_id)s), 0),
       %(question)s, %(answer)s, %(trace_id)s, %(document_ids)s
WHERE NOT EXISTS (
    SELECT FROM unnest(%(document_ids)s::uuid[]) AS used (document_id)
    WHERE NOT EXISTS (
        SELECT FROM document
        WHERE document.tenant_id = %(tenant_id)s
            AND document.document_id = used.document_id
            AND document.deleted_at IS NULL))
ON CONFLICT (tenant_id, conversation_id, trace_id) DO NOTHING;
