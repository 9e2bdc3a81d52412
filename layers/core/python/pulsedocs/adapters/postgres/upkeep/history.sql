-- name: history_listing
-- One page of ids, of every tenant, of what has outlived its time.
SELECT tenant_id, subject_id
FROM history_listing(%(wanted)s, %(days)s, %(after_tenant)s, %(after_subject)s, %(limit)s);


-- name: spent_versions
-- Ended versions of a document whose time is up, the kept ones left out. An object that a living
-- version stands for as well is not named. One that failed or is parked ends when what is published
-- is newer, as `VersionRow.is_older_than_published` has it: then nothing takes it up again.
SELECT spent.version,
       CASE WHEN NOT EXISTS (
           SELECT FROM document_version AS living
           WHERE living.tenant_id = spent.tenant_id AND living.document_id = spent.document_id
               AND living.object_version = spent.object_version
               AND living.version <> spent.version
               AND living.purged_at IS NULL) THEN spent.object_version END,
       spent.size
FROM document
CROSS JOIN LATERAL (
    SELECT max(upload_order) AS place
    FROM document_version
    WHERE document_version.tenant_id = document.tenant_id
        AND document_version.document_id = document.document_id
        AND document_version.outcome IN ('PUBLISHED', 'DUPLICATE')) AS shown
JOIN document_version AS spent
    ON spent.tenant_id = document.tenant_id AND spent.document_id = document.document_id
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL
    AND (spent.outcome IN ('SUPERSEDED', 'DUPLICATE', 'EMPTY', 'REJECTED', 'CANCELLED')
         OR spent.outcome IN ('FAILED', 'PARKED') AND document.published_version IS NOT NULL
         AND CASE
             WHEN spent.upload_order IS NOT NULL AND shown.place IS NOT NULL
                 THEN spent.upload_order < shown.place
             WHEN spent.sequencer IS NOT NULL AND document.latest_sequencer <> ''
                 THEN spent.sequencer < document.latest_sequencer
             ELSE spent.version < document.published_version END)
    AND spent.purged_at IS NULL
    AND spent.updated_at < clock_timestamp() - make_interval(days => %(days)s)
    AND spent.version < document.latest_version
    AND spent.version NOT IN (
        SELECT kept.version
        FROM document_version AS kept
        WHERE kept.tenant_id = document.tenant_id AND kept.document_id = document.document_id
            AND kept.outcome = 'SUPERSEDED'
        ORDER BY kept.version DESC
        LIMIT %(kept)s)
ORDER BY spent.version;


-- name: remove_spent_postings
-- Some of the postings of an ended version; they have no key of their own.
DELETE FROM posting
WHERE tenant_id = %(tenant_id)s AND ctid = ANY (ARRAY(
    SELECT part.ctid
    FROM posting_block
    CROSS JOIN LATERAL (
        SELECT posting.ctid FROM posting
        WHERE posting.tenant_id = posting_block.tenant_id AND posting.block = posting_block.block
        OFFSET 0
    ) AS part
    WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.document_id = %(document_id)s
        AND posting_block.version = %(version)s
    LIMIT %(rows)s));


-- name: remove_spent_embeddings
-- Some of the vectors of an ended version.
DELETE FROM chunk_embedding
WHERE (tenant_id, document_id, version, chunk_id, model_id) IN (
    SELECT tenant_id, document_id, version, chunk_id, model_id
    FROM chunk_embedding
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    LIMIT %(rows)s);


-- name: remove_spent_chunks
-- Some of the chunks of an ended version, with what hangs on them.
DELETE FROM document_chunk
WHERE (tenant_id, document_id, version, chunk_id) IN (
    SELECT tenant_id, document_id, version, chunk_id
    FROM document_chunk
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    LIMIT %(rows)s);


-- name: remove_spent_pages
-- Some of the pages of an ended version.
DELETE FROM document_page
WHERE (tenant_id, document_id, version, page_number) IN (
    SELECT tenant_id, document_id, version, page_number
    FROM document_page
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    LIMIT %(rows)s);


-- name: end_spent_version
-- What is left of an ended version is that it was there, and how it ended.
WITH blocks AS (
    DELETE FROM posting_block
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
),
statistics AS (
    DELETE FROM doc_stats
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
),
ledger AS (
    DELETE FROM step_ledger
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
)
UPDATE document_version
SET purged_at = clock_timestamp(), announced = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: forget_usage
-- Some of what was used, or reserved in vain, thirteen months ago.
DELETE FROM usage
WHERE (tenant_id, usage_id) IN (
    SELECT tenant_id, usage_id FROM usage
    WHERE tenant_id = %(tenant_id)s
        AND (settled_at < clock_timestamp() - interval '400 days'
             OR state = 'EXPIRED' AND expires_at < clock_timestamp() - interval '400 days')
    LIMIT %(rows)s);


-- name: forget_audit
-- Some of what was done thirteen months ago.
DELETE FROM audit_event
WHERE (tenant_id, event_id) IN (
    SELECT tenant_id, event_id FROM audit_event
    WHERE tenant_id = %(tenant_id)s AND at < clock_timestamp() - interval '400 days'
    LIMIT %(rows)s);


-- name: forget_budget_days
-- Days of thirteen months ago.
DELETE FROM budget_day
WHERE tenant_id = %(tenant_id)s AND day < clock_timestamp() - interval '400 days';


-- name: forget_batches
-- Batches that ended thirteen months ago, with their items.
DELETE FROM batch
WHERE tenant_id = %(tenant_id)s AND ended_at < clock_timestamp() - interval '400 days';


-- name: forget_backfills
-- Backfills that ended thirteen months ago.
DELETE FROM model_backfill
WHERE tenant_id = %(tenant_id)s AND ended_at < clock_timestamp() - interval '400 days';


-- name: forget_receipts
-- Receipts of deletions that were proven six years ago.
DELETE FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND completed_at < clock_timestamp() - interval '2200 days';


-- name: forget_old_feedback
-- What was said of answers, and not changed, for thirteen months.
DELETE FROM feedback
WHERE tenant_id = %(tenant_id)s AND changed_at < clock_timestamp() - interval '400 days';
