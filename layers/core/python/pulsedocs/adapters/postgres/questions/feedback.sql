-- name: feedback
-- What was said of answers, newest first; of answers from documents that are deleted, nothing.
-- Where an answer stands is read from the documents as they are now: the words from the version that
-- was cited, as long as it is stored, and its page number as long as it is published.
SELECT feedback.trace_id, feedback.subject, feedback.verdict, feedback.reason, feedback.question,
       feedback.collections, feedback.changed_at,
       CASE WHEN feedback.places IS NOT NULL THEN (
           SELECT coalesce(jsonb_agg(jsonb_build_object(
                      'source', document.source,
                      'page', CASE WHEN place.version IS NULL
                                   OR place.version = document.published_version
                              THEN place.page END,
                      'quote', nullif(left(page.words, 2000), ''))
                      ORDER BY place.number), '[]')
           FROM ROWS FROM (jsonb_to_recordset(feedback.places)
                               AS (document_id uuid, page integer, version integer,
                                   start integer, "end" integer))
               WITH ORDINALITY AS place (document_id, page, version, start, "end", number)
           CROSS JOIN LATERAL (
               SELECT document.source, document.published_version
               FROM document
               WHERE document.tenant_id = feedback.tenant_id
                   AND document.document_id = place.document_id
               OFFSET 0
           ) AS document
           LEFT JOIN LATERAL (
               SELECT substring(document_page.cleaned_text
                                FROM place.start + 1 FOR place."end" - place.start) AS words
               FROM document_page
               WHERE document_page.tenant_id = feedback.tenant_id
                   AND document_page.document_id = place.document_id
                   AND document_page.version = place.version
                   AND document_page.page_number = place.page
               OFFSET 0
           ) AS page ON true)
       END AS expected
FROM feedback
WHERE feedback.tenant_id = %(tenant_id)s
    AND (%(collection)s::text IS NULL OR %(collection)s::text = ANY (feedback.collections))
    AND (%(at)s::timestamptz IS NULL
         OR (feedback.changed_at, feedback.trace_id) < (%(at)s::timestamptz, %(trace_id)s::text))
    -- include: feedback_may_be_shown
ORDER BY feedback.changed_at DESC, feedback.trace_id DESC
LIMIT %(limit)s;


-- name: keep_feedback
-- One person's word on one answer, in place of an earlier one, unless one of its documents is gone.
INSERT INTO feedback (
    tenant_id, trace_id, subject, verdict, reason, question, collections, places, document_ids)
SELECT %(tenant_id)s, %(trace_id)s, %(subject)s, %(verdict)s, %(reason)s, %(question)s,
       %(collections)s, %(places)s, %(document_ids)s
WHERE
    -- include: cites_no_deleted_document
ON CONFLICT (tenant_id, trace_id, subject) DO UPDATE
SET verdict = excluded.verdict, reason = excluded.reason, question = excluded.question,
    collections = excluded.collections, places = excluded.places,
    document_ids = excluded.document_ids, changed_at = clock_timestamp();


-- name: place_beyond_its_document
-- A document that is published with fewer pages than somebody named; cited ones were of a version.
SELECT place.document_id
FROM jsonb_to_recordset(%(places)s) AS place (document_id uuid, page integer, version integer)
JOIN document
    ON document.tenant_id = %(tenant_id)s AND document.document_id = place.document_id
JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
WHERE place.version IS NULL AND place.page > published.page_count
LIMIT 1;


-- name: withdraw_feedback
-- One person's word on one answer.
DELETE FROM feedback
WHERE tenant_id = %(tenant_id)s AND trace_id = %(trace_id)s AND subject = %(subject)s;


-- part: feedback_may_be_shown
-- None of the documents that its answer cites, or that it names, is deleted.
    AND NOT EXISTS (
        SELECT FROM unnest(feedback.document_ids) AS used (document_id)
        WHERE NOT EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = feedback.tenant_id
                AND document.document_id = used.document_id
                AND document.deleted_at IS NULL))
