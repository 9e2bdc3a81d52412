-- name: append_turn
-- Add a turn once, under its conversation's lock, unless one of its documents was deleted.
INSERT INTO conversation_turn (
    tenant_id, conversation_id, turn, question, answer, trace_id, document_ids, citations,
    refused_for)
SELECT %(tenant_id)s, %(conversation_id)s,
       1 + coalesce((SELECT max(turn) FROM conversation_turn
                     WHERE tenant_id = %(tenant_id)s AND conversation_id = %(conversation_id)s), 0),
       %(question)s, %(answer)s, %(trace_id)s, %(document_ids)s, %(citations)s, %(refused_for)s
WHERE
    -- include: cites_no_deleted_document
ON CONFLICT (tenant_id, conversation_id, trace_id) DO NOTHING;


-- name: conversation
-- One conversation of a person, unless its time is up.
SELECT conversation_id, created_at, expires_at
FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    -- include: is_theirs
    AND expires_at > clock_timestamp();


-- name: conversation_history
-- The newest turns of a person's live conversation, newest first; none of a deleted document.
SELECT question, answer
FROM conversation_turn
JOIN conversation USING (tenant_id, conversation_id)
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    -- include: is_theirs
    AND conversation.expires_at > clock_timestamp()
    -- include: turn_may_be_shown
ORDER BY turn DESC
LIMIT %(turns)s;


-- name: conversation_turns
-- All turns of a conversation that may still be shown, in the order in which they were asked.
-- The words of a citation are read from the version that was cited, as long as it is stored.
SELECT question, answer, trace_id, asked_at, refused_for,
       (
           SELECT coalesce(jsonb_agg(jsonb_build_object(
                      'n', place.n,
                      'document_id', place.document_id,
                      'version', place.version,
                      'source', document.source,
                      'title', coalesce(document.title, document.file_title),
                      'page', place.page,
                      'page_label', page.label,
                      'start', place.start,
                      'end', place."end",
                      'quote', substring(page.cleaned_text
                                         FROM place.start + 1 FOR place."end" - place.start),
                      'ocr', coalesce(place.ocr, page.outcome IS NOT DISTINCT FROM 'OCR'),
                      'markers', coalesce(place.markers, '[]'))
                      ORDER BY place.number), '[]')
           FROM ROWS FROM (jsonb_to_recordset(conversation_turn.citations)
                               AS (n integer, document_id uuid, version integer, page integer,
                                   start integer, "end" integer, ocr boolean, markers jsonb))
               WITH ORDINALITY
               AS place (n, document_id, version, page, start, "end", ocr, markers, number)
           JOIN document
               ON document.tenant_id = conversation_turn.tenant_id
               AND document.document_id = place.document_id
           LEFT JOIN document_page AS page
               ON page.tenant_id = conversation_turn.tenant_id
               AND page.document_id = place.document_id
               AND page.version = place.version
               AND page.page_number = place.page
       ) AS citations,
       (
           SELECT jsonb_build_object(
                      'verdict', feedback.verdict,
                      'reason', feedback.reason,
                      'expected', CASE WHEN feedback.verdict = 'wrong' THEN feedback.places END)
           FROM feedback
           WHERE feedback.tenant_id = conversation_turn.tenant_id
               AND feedback.trace_id = conversation_turn.trace_id
               AND feedback.subject = %(subject)s
               -- include: feedback_may_be_shown
       ) AS feedback
FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    -- include: turn_may_be_shown
ORDER BY turn;


-- name: conversations
-- A person's live conversations, the last answered first, by their first question that may be shown.
SELECT conversation.conversation_id, left(shown.question, %(most)s::integer) AS title, shown.turns,
       conversation.created_at, conversation.answered_at, conversation.expires_at
FROM conversation
CROSS JOIN LATERAL (
    SELECT (array_agg(question ORDER BY turn))[1] AS question, count(*)::integer AS turns
    FROM conversation_turn
    WHERE conversation_turn.tenant_id = conversation.tenant_id
        AND conversation_turn.conversation_id = conversation.conversation_id
        -- include: turn_may_be_shown
) AS shown
WHERE conversation.tenant_id = %(tenant_id)s
    AND conversation.subject = %(subject)s
    AND conversation.expires_at > clock_timestamp()
    AND shown.turns > 0
    AND (%(at)s::timestamptz IS NULL
         OR (conversation.answered_at, conversation.conversation_id)
            < (%(at)s::timestamptz, %(conversation_id)s::uuid))
ORDER BY conversation.answered_at DESC, conversation.conversation_id DESC
LIMIT %(limit)s;


-- name: delete_conversation
-- One conversation of a person with its turns, unless its time is up: then it is there for nobody.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    -- include: is_theirs
    AND expires_at > clock_timestamp();


-- name: end_expired_conversation
-- A conversation whose time is up starts again empty, under the same id.
DELETE FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND expires_at <= clock_timestamp();


-- name: is_of_another
-- Whether a live conversation was begun by another person.
SELECT true
FROM conversation
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND conversation.subject <> %(subject)s
    AND expires_at > clock_timestamp();


-- name: open_conversation
-- Start a conversation, or take it up again and lock it; its time starts anew. Not another person's.
INSERT INTO conversation (tenant_id, conversation_id, subject, expires_at, answered_at)
VALUES (%(tenant_id)s, %(conversation_id)s, %(subject)s,
        clock_timestamp() + make_interval(days => %(days)s::integer), clock_timestamp())
ON CONFLICT (tenant_id, conversation_id) DO UPDATE
SET expires_at = excluded.expires_at, answered_at = excluded.answered_at,
    subject = excluded.subject
WHERE coalesce(conversation.subject, excluded.subject) = excluded.subject;


-- name: trim_conversation
-- Forget the turns of a conversation beyond the newest ones.
DELETE FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND conversation_id = %(conversation_id)s
    AND turn <= (SELECT max(turn) FROM conversation_turn
                 WHERE tenant_id = %(tenant_id)s AND conversation_id = %(conversation_id)s)
                - %(most)s::integer;


-- part: is_theirs
-- The person's own, or of a release that did not tell people apart.
    AND coalesce(conversation.subject, %(subject)s) = %(subject)s


-- part: turn_may_be_shown
-- None of the documents that it was written from is deleted.
    AND NOT EXISTS (
        SELECT FROM unnest(conversation_turn.document_ids) AS used (document_id)
        WHERE NOT EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = conversation_turn.tenant_id
                AND document.document_id = used.document_id
                AND document.deleted_at IS NULL))
