-- name: advance_version (kept)
-- A version after a step: its new state, its outcome if the step ended it, else a renewed lease.
UPDATE document_version
SET state = %(state)s,
    outcome = %(outcome)s,
    error = %(error)s,
    lease_until = CASE
        WHEN %(keeps_lease)s THEN clock_timestamp() + interval '15 minutes' END,
    lease_holder = CASE WHEN %(keeps_lease)s THEN lease_holder END
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND fence = %(fence)s;


-- name: cleaned_pages (kept)
-- Pages of a version as cleaning left them.
SELECT page_number, cleaned_text, offsets, label, cleaned_headings
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND cleaned_text IS NOT NULL
ORDER BY page_number;


-- name: copied_hashes
-- The chunks with a vector of a model in another document that has the bytes of this version. They
-- serve, whatever title stood in front of their texts, unless the chunks are made anew.
SELECT theirs.chunk_hash
FROM document_version AS mine
CROSS JOIN LATERAL (
    SELECT twin.document_id, twin.version
    FROM document_version AS twin
    WHERE twin.tenant_id = mine.tenant_id AND twin.sha256 = mine.sha256
        AND twin.outcome = 'PUBLISHED' AND twin.document_id <> mine.document_id
        AND EXISTS (
            SELECT FROM chunk_embedding
            WHERE chunk_embedding.tenant_id = twin.tenant_id
                AND chunk_embedding.document_id = twin.document_id
                AND chunk_embedding.version = twin.version
                AND chunk_embedding.model_id = (
                    SELECT model_id FROM stage_model WHERE model = %(model)s))
    ORDER BY twin.received_at, twin.document_id
    LIMIT 1
) AS twin
JOIN document_chunk AS theirs
    ON theirs.tenant_id = mine.tenant_id
    AND theirs.document_id = twin.document_id
    AND theirs.version = twin.version
JOIN chunk_embedding
    ON chunk_embedding.tenant_id = theirs.tenant_id
    AND chunk_embedding.document_id = theirs.document_id
    AND chunk_embedding.version = theirs.version
    AND chunk_embedding.chunk_id = theirs.chunk_id
    AND chunk_embedding.model_id = (SELECT model_id FROM stage_model WHERE model = %(model)s)
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s
    AND NOT mine.is_reprocessed;


-- name: leased_run
-- The open version whose lease one execution took.
SELECT version, fence
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND lease_holder = %(holder)s AND outcome IS NULL
ORDER BY version DESC
LIMIT 1;


-- name: is_over
-- Whether a version has ended, or is gone: nobody will settle what it has reserved.
SELECT NOT EXISTS (
    SELECT FROM document_version
    JOIN document USING (tenant_id, document_id)
    WHERE document_version.tenant_id = %(tenant_id)s
        AND document_version.document_id = %(document_id)s
        AND document_version.version = %(version)s
        AND document_version.outcome IS NULL
        AND document.deleted_at IS NULL);


-- name: raw_pages (kept)
-- Pages of a version as extraction found them.
SELECT page_number, raw_text, outcome, parser, label, raw_headings, hidden_characters,
       failure_code, verbatim, is_sheet
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
ORDER BY page_number;


-- name: record_step (kept)
-- One step that was done, with what it gave.
INSERT INTO step_ledger (tenant_id, document_id, version, step, batch, fence, result, elapsed_ms)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(step)s, %(batch)s, %(fence)s,
        %(result)s, %(elapsed_ms)s);


-- name: request_later_run
-- A version that ended for a passing reason: the sweep runs it again, as often as it has left.
UPDATE document_version
SET requested_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: run_choices (kept)
-- What was chosen for a version, the model it is searched by, and what it is called: by people, or
-- by the file itself.
SELECT document_version.chunking
           || jsonb_build_object('validate_chunks', document_version.validate_chunks),
       document_version.sha256, collection.active_model,
       coalesce(document_version.announced ->> 'title', document.title),
       document_version.file_title,
       coalesce(document_version.announced ->> 'source', document.source)
FROM document_version
JOIN document USING (tenant_id, document_id)
JOIN collection
    ON collection.tenant_id = document_version.tenant_id
    AND collection.collection_id = document_version.collection_id
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;


-- name: run_state (kept)
-- Whether a run may still write, and what its step recorded if it has been done.
SELECT document.deleted_at, document_version.fence, document_version.outcome,
       step_ledger.result
FROM document
JOIN document_version USING (tenant_id, document_id)
LEFT JOIN step_ledger
    ON step_ledger.tenant_id = document_version.tenant_id
    AND step_ledger.document_id = document_version.document_id
    AND step_ledger.version = document_version.version
    AND step_ledger.step = %(step)s
    AND step_ledger.batch = %(batch)s
WHERE document.tenant_id = %(tenant_id)s
    AND document.document_id = %(document_id)s
    AND document_version.version = %(version)s;
