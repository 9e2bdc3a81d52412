-- name: blocks_to_merge
-- The smallest parts of a collection that make a segment of at least twice the largest of them: what
-- is merged again has doubled, or lost half. A part is a block that shares no postings, or a segment;
-- one that has something hidden waits until that is removed.
WITH part AS (
    SELECT coalesce(segment, block) AS number, array_agg(block) AS blocks,
           sum(cardinality(lengths)) AS chunks
    FROM posting_block
    WHERE tenant_id = %(tenant_id)s
        AND shelf = (SELECT shelf FROM collection
                     WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s)
    GROUP BY coalesce(segment, block)
    HAVING bool_and(is_published)
),
ranked AS (
    SELECT blocks, chunks, row_number() OVER smallest AS rank, sum(chunks) OVER smallest AS total
    FROM part
    WINDOW smallest AS (ORDER BY chunks, number)
)
SELECT unnest(blocks) AS block
FROM ranked
WHERE rank <= (
    SELECT max(rank) FROM ranked
    WHERE total BETWEEN %(fewest)s AND 4096 AND total >= 2 * chunks)
ORDER BY block;


-- name: detach_blocks
-- The blocks of a document, or of one version of it, none of whose words a segment has any more.
UPDATE posting_block
SET segment = NULL, first_place = NULL
WHERE tenant_id = %(tenant_id)s AND segment = %(segment)s AND document_id = %(document_id)s
    AND (version = %(version)s OR %(version)s::integer IS NULL);


-- name: drop_own_postings
-- The postings that blocks had for themselves, once they are in a segment.
DELETE FROM posting
WHERE tenant_id = %(tenant_id)s AND ctid = ANY (ARRAY(
    SELECT held.ctid
    FROM unnest(%(blocks)s::integer[]) AS merged (block)
    CROSS JOIN LATERAL (
        SELECT posting.ctid FROM posting
        WHERE posting.tenant_id = %(tenant_id)s AND posting.block = merged.block
        OFFSET 0
    ) AS held));


-- name: drop_segments
-- Segments that are no block's any more, with the postings that they have.
DELETE FROM posting_segment
WHERE tenant_id = %(tenant_id)s AND segment = ANY(%(segments)s::integer[])
    AND NOT EXISTS (
        SELECT FROM posting_block
        WHERE posting_block.tenant_id = %(tenant_id)s
            AND posting_block.segment = posting_segment.segment
        OFFSET 0);


-- name: lock_blocks
-- Of these blocks those that are published. Whoever hides or purges one waits until they are merged;
-- one that somebody else works on is left out.
SELECT block
FROM posting_block
WHERE tenant_id = %(tenant_id)s AND block = ANY(%(blocks)s::integer[]) AND is_published
ORDER BY block
FOR NO KEY UPDATE SKIP LOCKED;


-- name: lock_segment
-- A segment that has words of a document that is deleted, or of one version that is not published;
-- the next one, where it is dropped while it is waited for.
SELECT segment
FROM posting_segment
WHERE tenant_id = %(tenant_id)s AND segment = ANY (ARRAY(
    SELECT segment
    FROM posting_block
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND segment IS NOT NULL
        AND NOT is_published
        AND (version = %(version)s OR %(version)s::integer IS NULL AND EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
                AND document.deleted_at IS NOT NULL))))
ORDER BY segment
LIMIT 1
FOR UPDATE;


-- name: locked_parts
-- Of these blocks, which are locked, those that are alone, and those that are all of their segment.
-- The others stay as they are: of their segment something is hidden, or somebody else works on it.
SELECT block, segment
FROM posting_block
WHERE tenant_id = %(tenant_id)s AND block = ANY(%(blocks)s::integer[])
    AND (segment IS NULL OR NOT EXISTS (
        SELECT FROM posting_block AS other
        WHERE other.tenant_id = %(tenant_id)s AND other.segment = posting_block.segment
            AND other.block <> ALL (%(blocks)s::integer[])
        OFFSET 0))
ORDER BY block;


-- name: merge_blocks
-- One segment of blocks, and how many chunks it has. Their places follow each other.
WITH moved AS MATERIALIZED (
    SELECT block, shelf, lengths, segment, first_place, cardinality(lengths) AS chunks,
           (sum(cardinality(lengths)) OVER (ORDER BY block)
            - cardinality(lengths))::integer AS new_place
    FROM posting_block
    WHERE tenant_id = %(tenant_id)s AND block = ANY(%(blocks)s::integer[])
),
merged AS (
    INSERT INTO posting_segment (tenant_id, shelf)
    SELECT %(tenant_id)s, shelf FROM moved LIMIT 1
    RETURNING segment, shelf
),
-- Apart, so that uses are joined with places by a hash: held against each other, they took 23 CPU
-- seconds.
place AS MATERIALIZED (
    SELECT moved.segment, moved.first_place + nth AS place,
           moved.new_place - moved.first_place AS by
    FROM moved
    CROSS JOIN LATERAL generate_series(0, moved.chunks - 1) AS nth
    WHERE moved.segment IS NOT NULL
),
use AS (
    SELECT held.term,
           (((held.entry >> 7) - 128) << 24) + ((held.new_place + (held.entry & 127)) << 12)
               + least(held.lengths[(held.entry & 127) + 1], 4095) AS entry
    FROM (
        SELECT moved.lengths, moved.new_place, own.term,
               unnest(array_prepend(own.entry, own.others))::integer AS entry
        FROM moved
        CROSS JOIN LATERAL (
            SELECT posting.term, posting.entry, posting.others
            FROM posting
            WHERE posting.tenant_id = %(tenant_id)s AND posting.block = moved.block
            OFFSET 0
        ) AS own
        WHERE moved.segment IS NULL
    ) AS held
    UNION ALL
    SELECT held.term, held.entry + (place.by << 12)
    FROM (
        SELECT part.segment, shared.term, unnest(array_prepend(shared.entry, shared.others)) AS entry
        FROM (SELECT DISTINCT moved.segment FROM moved WHERE moved.segment IS NOT NULL) AS part
        CROSS JOIN LATERAL (
            SELECT shared_posting.term::text COLLATE "C" AS term, shared_posting.entry,
                   shared_posting.others
            FROM shared_posting
            WHERE shared_posting.tenant_id = %(tenant_id)s
                AND shared_posting.segment = part.segment
            OFFSET 0
        ) AS shared
    ) AS held
    JOIN place
        ON place.segment = held.segment AND place.place = (held.entry >> 12 & 4095)
),
written AS (
    INSERT INTO shared_posting (tenant_id, shelf, segment, entry, term, others)
    SELECT %(tenant_id)s, merged.shelf, merged.segment, packed.entries[1], packed.term,
           nullif(packed.entries[2:], '{}')
    FROM (
        SELECT term, array_agg(entry ORDER BY entry DESC) AS entries FROM use GROUP BY term
    ) AS packed
    CROSS JOIN merged
    ORDER BY packed.term
),
placed AS (
    UPDATE posting_block
    SET segment = merged.segment, first_place = moved.new_place,
        postings = CASE WHEN moved.segment IS NOT NULL THEN posting_block.postings ELSE (
            SELECT count(*) FROM posting
            WHERE posting.tenant_id = %(tenant_id)s AND posting.block = moved.block
        ) END
    FROM merged
    CROSS JOIN moved
    WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = moved.block
)
SELECT sum(chunks)::integer FROM moved;


-- name: merge_listing
-- One page of collections, of every tenant, that have documents to merge.
SELECT tenant_id, subject_id
FROM merge_listing(%(after_tenant)s, %(after_subject)s, %(limit)s);


-- name: take_words_out
-- Some of the postings that a segment, which is locked, shares with a document or one version of it,
-- written anew without it. How many were found, and how many are gone.
WITH gone AS MATERIALIZED (
    SELECT first_place, first_place + cardinality(lengths) AS end_place
    FROM posting_block
    WHERE tenant_id = %(tenant_id)s AND segment = %(segment)s AND document_id = %(document_id)s
        AND (version = %(version)s OR %(version)s::integer IS NULL)
),
held AS MATERIALIZED (
    SELECT shared_posting.ctid AS at, shared_posting.shelf, shared_posting.term,
           ARRAY(
               SELECT use.entry
               FROM unnest(array_prepend(entry, others)) AS use (entry)
               WHERE NOT EXISTS (
                   SELECT FROM gone
                   WHERE (use.entry >> 12 & 4095) >= gone.first_place
                       AND (use.entry >> 12 & 4095) < gone.end_place)
               ORDER BY use.entry DESC) AS kept
    FROM shared_posting
    WHERE tenant_id = %(tenant_id)s AND segment = %(segment)s
        AND EXISTS (
            SELECT
            FROM unnest(array_prepend(entry, others)) AS use (entry)
            JOIN gone
                ON (use.entry >> 12 & 4095) >= gone.first_place
                AND (use.entry >> 12 & 4095) < gone.end_place)
    LIMIT %(rows)s
),
removed AS (
    DELETE FROM shared_posting
    WHERE tenant_id = %(tenant_id)s AND ctid = ANY (ARRAY(SELECT at FROM held))
    RETURNING 1
),
kept AS (
    INSERT INTO shared_posting (tenant_id, shelf, segment, entry, term, others)
    SELECT %(tenant_id)s, shelf, %(segment)s, kept[1], term, nullif(kept[2:], '{}')
    FROM held
    WHERE kept <> '{}'
)
SELECT (SELECT count(*) FROM held)::integer, (SELECT count(*) FROM removed)::integer;
