-- name: append_turn
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


-- name: conversation
-- One conversation, unless its time is up.
SELECT conversation_id, created_at, expires_at
FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at > clock_timestamp();


-- name: conversation_history
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


-- name: conversation_turns
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


-- name: delete_conversation
-- One conversation with its turns, unless its time is up: then it is not there for anyone.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at > clock_timestamp();


-- name: end_expired_conversation
-- A conversation whose time is up starts again empty, under the same id.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at <= clock_timestamp();


-- name: open_conversation
-- Start a conversation, or take it up again and lock it; its time starts anew.
INSERT INTO conversation (tenant_id, conversation_id, expires_at)
VALUES (%(tenant_id)s, %(conversation_id)s,
        clock_timestamp() + make_interval(days => %(days)s::integer))
ON CONFLICT (tenant_id, conversation_id) DO UPDATE SET expires_at = excluded.expires_at;


-- name: trim_conversation
-- Forget the turns of a conversation beyond the newest ones.
DELETE FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND turn <= (SELECT max(turn) FROM conversation_turn
                 WHERE tenant_id = %(tenant_id)s AND conversation_id = %(conversation_id)s)
                - %(most)s::integer;
