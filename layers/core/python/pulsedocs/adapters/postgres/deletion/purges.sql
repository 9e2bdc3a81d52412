-- name: existing_documents
-- Which of these ids are documents, deleted ones that wait for their own purge among them.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[]);


-- name: finish_receipt
-- A deletion after a purge; what it looked for is forgotten, what was asked since is not.
UPDATE deletion_receipt
SET before = before || %(before)s,
    after = %(after)s,
    verification = %(verification)s,
    completed_at = CASE WHEN %(is_complete)s THEN coalesce(completed_at, clock_timestamp())
                        ELSE completed_at END,
    sample = CASE WHEN %(is_complete)s OR completed_at IS NOT NULL THEN NULL ELSE sample END,
    asked = CASE WHEN asked = %(asked)s THEN NULL ELSE asked END,
    searched = NULL,
    lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s;


-- name: forget_feedback
-- Feedback that is of a deleted document, or repeats its words, wherever it had them from.
DELETE FROM feedback
WHERE tenant_id = %(tenant_id)s
    AND (trace_id, subject) IN (
        SELECT * FROM unnest(%(firsts)s::text[], %(seconds)s::text[]));


-- name: forget_names
-- The names of all deleted documents in what they cost, which stays. A tenant's rows are read once
-- for all purges, as its search reads them too.
UPDATE usage SET source = NULL
WHERE tenant_id = %(tenant_id)s AND source IS NOT NULL
    AND document_id IN (SELECT document_id FROM deletion_receipt WHERE tenant_id = %(tenant_id)s);


-- name: forget_turns
-- Turns that were written from a deleted document, or repeat its words, wherever from.
DELETE FROM conversation_turn
WHERE tenant_id = %(tenant_id)s
    AND (conversation_id, turn) IN (
        SELECT * FROM unnest(%(firsts)s::uuid[], %(seconds)s::integer[]));


-- name: keep_sample
-- What a purge will look for when the text is gone; the first sample stays.
UPDATE deletion_receipt
SET sample = coalesce(sample, %(sample)s)
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s AND completed_at IS NULL
RETURNING sample;


-- name: keep_search
-- How far a search came, for the next purge; what was asked since has to be looked for everywhere.
UPDATE deletion_receipt
SET searched = CASE WHEN asked IS NOT DISTINCT FROM %(asked)s THEN %(searched)s::jsonb END,
    before = before || %(before)s,
    lease_until = NULL
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s;


-- name: named_source
-- What a deleted document was called: its collection and its source.
SELECT collection.name, document.source
FROM document
JOIN collection USING (tenant_id, collection_id)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NOT NULL;


-- name: pending_receipts
-- Deletions that wait for their purge, oldest first.
SELECT document_id, receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND completed_at IS NULL
ORDER BY requested_at, receipt_id;


-- name: purge_answers
-- Remembered answers that quote documents, once one is deleted: another may have its words too.
DELETE FROM idempotency_key
WHERE (tenant_id, key) IN (
    SELECT tenant_id, key
    FROM idempotency_key
    WHERE tenant_id = %(tenant_id)s AND document_ids <> '{}'
    LIMIT %(rows)s)
    AND EXISTS (
        SELECT FROM deletion_receipt
        WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s);


-- name: purge_batch_items
-- What batches remember of a deleted document: where its bytes came from.
DELETE FROM batch_item
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: purge_chunks
-- Some of the chunks of a deleted document, with what hangs on them.
DELETE FROM document_chunk
WHERE (tenant_id, document_id, version, chunk_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id
    FROM document_chunk AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);


-- name: purge_document
-- A deleted document with its versions and whatever still hangs on them; none that has words left.
DELETE FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NOT NULL
    -- Without their block, they would be nobody's.
    AND NOT EXISTS (
        SELECT FROM posting_block
        WHERE posting_block.tenant_id = %(tenant_id)s
            AND posting_block.document_id = %(document_id)s
            AND posting_block.segment IS NOT NULL)
    AND NOT EXISTS (
        SELECT FROM posting_block
        CROSS JOIN LATERAL (
            -- Fenced: without statistics a join read all postings of the tenant (180,000 blocks).
            SELECT FROM posting
            WHERE posting.tenant_id = posting_block.tenant_id
                AND posting.block = posting_block.block
            OFFSET 0
        ) AS held
        WHERE posting_block.tenant_id = %(tenant_id)s
            AND posting_block.document_id = %(document_id)s);


-- name: purge_embeddings
-- Some of the vectors of a deleted document.
DELETE FROM chunk_embedding
WHERE (tenant_id, document_id, version, chunk_id, model_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id, part.model_id
    FROM chunk_embedding AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);


-- name: purge_pages
-- Some of the pages of a deleted document.
DELETE FROM document_page
WHERE (tenant_id, document_id, version, page_number) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.page_number
    FROM document_page AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);


-- name: purge_postings
-- Some of the postings of a deleted document.
DELETE FROM posting
WHERE tenant_id = %(tenant_id)s AND ctid = ANY (ARRAY(
    SELECT part.ctid
    FROM posting_block
    JOIN document USING (tenant_id, document_id)
    CROSS JOIN LATERAL (
        SELECT posting.ctid FROM posting
        WHERE posting.tenant_id = posting_block.tenant_id AND posting.block = posting_block.block
        OFFSET 0
    ) AS part
    WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s));


-- name: postings_of_document
-- How many postings a document has, those that it shares among them.
SELECT count(*)
FROM posting_block
CROSS JOIN LATERAL (
    (SELECT FROM posting
     WHERE posting.tenant_id = posting_block.tenant_id AND posting.block = posting_block.block
     OFFSET 0)
    UNION ALL
    SELECT
    FROM (
        SELECT shared_posting.entry, shared_posting.others FROM shared_posting
        WHERE shared_posting.tenant_id = posting_block.tenant_id
            AND shared_posting.segment = posting_block.segment
        OFFSET 0
    ) AS held
    WHERE EXISTS (
        SELECT FROM unnest(array_prepend(held.entry, held.others)) AS use (entry)
        WHERE (use.entry >> 12 & 4095) >= posting_block.first_place
            AND (use.entry >> 12 & 4095)
                < posting_block.first_place + cardinality(posting_block.lengths))
) AS held
WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.document_id = %(document_id)s;


-- name: rows_of_document
-- How many rows of one table belong to a document.
SELECT count(*)
FROM {searched} AS searched
WHERE searched.tenant_id = %(tenant_id)s AND searched.document_id = %(document_id)s;


-- name: take_receipts
-- The named receipt, and others as far that no purge works on, for a quarter of an hour.
UPDATE deletion_receipt
SET lease_until = clock_timestamp() + interval '15 minutes'
WHERE tenant_id = %(tenant_id)s AND receipt_id IN (
    SELECT waiting.receipt_id
    FROM deletion_receipt AS waiting
    WHERE waiting.tenant_id = %(tenant_id)s
        AND (waiting.receipt_id = %(receipt_id)s
             OR waiting.completed_at IS NULL
                AND coalesce(waiting.lease_until < clock_timestamp(), true)
                AND waiting.searched IS NOT DISTINCT FROM (
                    SELECT searched FROM deletion_receipt
                    WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s))
    ORDER BY waiting.receipt_id <> %(receipt_id)s, waiting.requested_at
    LIMIT %(most)s)
RETURNING receipt_id, document_id, completed_at IS NOT NULL AS is_completed, before, verification,
          sample, asked, searched;


-- name: tenant_tables
-- Every table of a tenant, with its columns of text, and whether it names or outlives documents.
WITH RECURSIVE owned AS (
    SELECT 'pulsedocs.document'::regclass::oid AS oid
    UNION
    -- What the database keeps only as long as its document: by keys that are checked and not null.
    SELECT conrelid
    FROM pg_constraint
    JOIN owned ON confrelid = owned.oid
    WHERE contype = 'f' AND convalidated
        AND NOT EXISTS (
            SELECT FROM pg_attribute
            WHERE attrelid = conrelid AND attnum = ANY (conkey) AND NOT attnotnull)
)
SELECT pg_class.relname AS name,
       has_table_privilege(pg_class.oid, 'SELECT') AS is_readable,
       bool_or(attname = 'document_id') AS names_documents,
       pg_class.oid IN (SELECT oid FROM owned) AS is_owned,
       coalesce(array_agg(attname::text ORDER BY attnum) FILTER (
           WHERE atttypid IN ('text'::regtype, 'varchar'::regtype, 'json'::regtype,
                              'jsonb'::regtype, 'text[]'::regtype, 'varchar[]'::regtype,
                              'jsonb[]'::regtype)), '{}') AS texts
FROM pg_class
JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
GROUP BY pg_class.oid, pg_class.relname
HAVING bool_or(attname = 'tenant_id')
ORDER BY pg_class.relname;


-- name: texts_of_documents
-- The texts of rows of one table that can hold a shingle, of some documents.
SELECT document_id, {columns}
FROM {searched} AS searched
WHERE searched.tenant_id = %(tenant_id)s AND greatest({sizes}) >= 15
    AND searched.document_id = ANY(%(documents)s::uuid[])
    AND (searched.document_id > %(after)s::uuid) IS NOT FALSE
ORDER BY 1;


-- name: texts_of_feedback
-- What a tenant's people said of answers, to look for words that are to be gone.
-- First whether an answer is meant that cites one of the documents, or one of them is named.
SELECT trace_id, subject, document_ids && %(document_ids)s::uuid[] AS is_of_document, question,
       reason
FROM feedback
WHERE tenant_id = %(tenant_id)s;


-- name: texts_of_table
-- The texts of rows of one table that can hold a shingle, with the document that a row belongs to.
-- Eight words take 15 bytes at least. A posting has one: its rows are five in six of a tenant's.
SELECT {owner} AS document_id, {columns}
FROM {searched} AS searched
WHERE searched.tenant_id = %(tenant_id)s AND greatest({sizes}) >= 15
    -- True as well where there is no document, or nothing to come after.
    AND ({owner} > %(after)s::uuid) IS NOT FALSE
ORDER BY 1;


-- name: texts_of_turns
-- What a tenant's conversations say, to look for words that are to be gone.
-- First whether a turn was written from passages of one of the documents.
SELECT conversation_id, turn, document_ids && %(document_ids)s::uuid[] AS is_of_document, question,
       answer
FROM conversation_turn
WHERE tenant_id = %(tenant_id)s;


-- name: texts_to_purge
-- What is stored of a document's text, page by page, of its versions one after another.
SELECT coalesce(cleaned_text, raw_text) AS text
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY version, page_number;
