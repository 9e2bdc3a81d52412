-- name: budget_is_limited
-- Whether a limit holds for what questions take; the stage's where the tenant has none of its own.
SELECT coalesce(
    (SELECT num_nonnulls(tokens_per_day, microdollars_per_day) > 0
     FROM tenant_budget
     WHERE tenant_id = %(tenant_id)s),
    %(is_limited)s::boolean);


-- name: retrieval_candidate_texts
-- The texts of the asked chunks.
SELECT document_chunk.chunk_id, document_chunk.text
FROM unnest(%(documents)s::uuid[], %(versions)s::integer[], %(chunks)s::uuid[])
    AS asked (document_id, version, chunk_id)
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = asked.document_id
    AND document_chunk.version = asked.version
    AND document_chunk.chunk_id = asked.chunk_id
JOIN document
    ON document.tenant_id = document_chunk.tenant_id
    AND document.document_id = document_chunk.document_id
    AND document.deleted_at IS NULL;


-- name: retrieval_coverage
-- Published documents of the scope that have pages nobody could read, and how many.
-- Those are pages that failed, and pictures on which nobody looked for words.
-- From the few such pages to their documents: the other way reads every document of the scope.
WITH unreadable AS MATERIALIZED (
    SELECT document_id, version, count(*) AS pages
    FROM document_page
    WHERE tenant_id = %(tenant_id)s AND outcome NOT IN ('TEXT', 'OCR')
        AND (outcome = 'FAILED' OR is_picture)
    GROUP BY document_id, version
)
SELECT document.document_id,
       unreadable.pages AS pages_unreadable,
       coalesce(version.page_count, 0) AS pages_total
FROM unreadable
CROSS JOIN LATERAL (
    SELECT document.*
    FROM document
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = unreadable.document_id
        AND document.published_version = unreadable.version
    OFFSET 0
) AS document
CROSS JOIN LATERAL (
    SELECT document_version.page_count
    FROM document_version
    WHERE document_version.tenant_id = %(tenant_id)s
        AND document_version.document_id = unreadable.document_id
        AND document_version.version = unreadable.version
    OFFSET 0
) AS version
WHERE document.collection_id = ANY(%(collections)s)
    AND {wanted}
ORDER BY document.document_id


-- name: retrieval_embedded
-- How many chunks of the scope have a vector of the model; counting stops at a limit.
SELECT count(*) AS embedded
FROM (
    SELECT
    FROM document
    CROSS JOIN LATERAL (
        SELECT
        FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = %(tenant_id)s
            AND chunk_embedding.document_id = document.document_id
            AND chunk_embedding.version = document.published_version
            AND chunk_embedding.model_id = %(model_id)s
        OFFSET 0
    ) AS held
    WHERE document.tenant_id = %(tenant_id)s
        AND document.collection_id = ANY(%(collections)s)
        AND document.published_version IS NOT NULL
        AND {wanted}
    LIMIT %(limit)s
) AS counted


-- name: retrieval_numbered_pages
-- How many pages the scope's one document has, and which of them bear one of the asked labels.
WITH listed AS MATERIALIZED (
    SELECT document.document_id, document.published_version AS version
    FROM document
    WHERE document.tenant_id = %(tenant_id)s
        AND document.collection_id = ANY(%(collections)s)
        AND document.published_version IS NOT NULL
        AND {wanted}
    LIMIT 2
)
SELECT version.page_count, version.labelled
FROM listed
CROSS JOIN LATERAL (
    SELECT coalesce(document_version.page_count, 0) AS page_count,
           ARRAY(SELECT document_page.page_number
                 FROM document_page
                 WHERE document_page.tenant_id = %(tenant_id)s
                     AND document_page.document_id = listed.document_id
                     AND document_page.version = listed.version
                     AND lower(document_page.label) = ANY(%(labels)s)
                 ORDER BY document_page.page_number
                 LIMIT 10) AS labelled
    FROM document_version
    WHERE document_version.tenant_id = %(tenant_id)s
        AND document_version.document_id = listed.document_id
        AND document_version.version = listed.version
    OFFSET 0
) AS version
WHERE (SELECT count(*) FROM listed) = 1


-- name: retrieval_page_texts
-- Cleaned text and printed label of the asked pages; of recognised ones also how sure of each word.
SELECT document_page.document_id,
       document_page.version,
       document_page.page_number,
       document_page.cleaned_text,
       document_page.label,
       document_page.outcome = 'OCR' AS is_recognised,
       coalesce(document_page.cleaned_headings, '[]') AS headings,
       document_page.confidence,
       document_page.certainties,
       CASE WHEN document_page.certainties IS NOT NULL THEN document_page.raw_text END AS raw_text,
       CASE WHEN document_page.certainties IS NOT NULL THEN document_page.offsets END AS offsets
FROM unnest(%(documents)s::uuid[], %(versions)s::integer[], %(pages)s::integer[])
    AS asked (document_id, version, page_number)
JOIN document_page
    ON document_page.tenant_id = %(tenant_id)s
    AND document_page.document_id = asked.document_id
    AND document_page.version = asked.version
    AND document_page.page_number = asked.page_number
JOIN document
    ON document.tenant_id = document_page.tenant_id
    AND document.document_id = document_page.document_id
    AND document.deleted_at IS NULL
WHERE document_page.cleaned_text IS NOT NULL;


-- name: retrieval_cited_words
-- The asked pages with the object that each was read from, for proofs.
SELECT document_page.document_id, document_page.version, document_page.page_number,
       document.source, coalesce(document.title, document.file_title) AS title,
       encode(document_version.sha256, 'hex') AS file_sha256,
       document_version.pipeline_revision,
       document_version.object_version, document_version.content_type,
       document_page.label, document_page.parser, document_page.raw_text,
       document_page.cleaned_text, document_page.offsets, document_page.certainties
FROM unnest(%(documents)s::uuid[], %(versions)s::integer[], %(pages)s::integer[])
    AS asked (document_id, version, page_number)
-- Fenced: without statistics joins read the pages of all tenants (211 blocks instead of 62).
CROSS JOIN LATERAL (
    SELECT document_page.*
    FROM document_page
    WHERE document_page.tenant_id = %(tenant_id)s
        AND document_page.document_id = asked.document_id
        AND document_page.version = asked.version
        AND document_page.page_number = asked.page_number
    OFFSET 0
) AS document_page
CROSS JOIN LATERAL (
    SELECT document_version.*
    FROM document_version
    WHERE document_version.tenant_id = %(tenant_id)s
        AND document_version.document_id = asked.document_id
        AND document_version.version = asked.version
    OFFSET 0
) AS document_version
CROSS JOIN LATERAL (
    SELECT document.*
    FROM document
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = asked.document_id
        AND document.deleted_at IS NULL
    OFFSET 0
) AS document
WHERE document_page.cleaned_text IS NOT NULL;


-- name: retrieval_place
-- One page of the version that is asked for, else of the published one, else of the newest, and the
-- object it was read from. A version without a single page is one whose text is not stored.
SELECT document_version.object_version, document_version.content_type,
       document_page.parser, document_page.raw_text, document_page.cleaned_text,
       document_page.offsets, document_page.certainties,
       CASE WHEN document_version.version IS NOT NULL THEN EXISTS (
           SELECT FROM document_page AS any_page
           WHERE any_page.tenant_id = document_version.tenant_id
           AND any_page.document_id = document_version.document_id
           AND any_page.version = document_version.version
       ) END AS is_stored
FROM document
LEFT JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version
        = coalesce(%(version)s::integer, document.published_version, document.latest_version)
LEFT JOIN document_page
    ON document_page.tenant_id = document_version.tenant_id
    AND document_page.document_id = document_version.document_id
    AND document_page.version = document_version.version
    AND document_page.page_number = %(page)s
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL;


-- name: retrieval_reserve
-- A question's reservation; asked again (the answer to the commit was lost) it changes nothing.
INSERT INTO usage (tenant_id, usage_id, method, model, expires_at)
VALUES (%(tenant_id)s, %(usage_id)s, %(method)s, %(model)s,
        clock_timestamp() + make_interval(mins => %(minutes)s))
ON CONFLICT (tenant_id, usage_id) DO NOTHING;


-- name: retrieval_near_words
-- The words that published documents of English collections have, those that no index has ("what"),
-- and of the others, where they are four at most, the spellings of which either is true.
-- One spelling is one look at an index, and 20 blocks at most.
WITH given AS MATERIALIZED (
    SELECT asked.word, asked.spelling
    FROM unnest(%(words)s::text[], %(spellings)s::text[]) AS asked (word, spelling)
),
own AS MATERIALIZED (
    SELECT found.word, found.spelling, found.term
    FROM (SELECT word, spelling FROM given WHERE word = spelling) AS asked
    -- include: held_spelling
),
missing AS MATERIALIZED (
    SELECT word FROM given EXCEPT SELECT word FROM own
)
SELECT own.word, own.spelling, own.term FROM own
UNION ALL
SELECT found.word, found.spelling, found.term
FROM (
    SELECT given.word, given.spelling
    FROM given
    JOIN missing ON missing.word = given.word
    WHERE (SELECT count(*) FROM missing) <= 4
    OFFSET 0
) AS asked
-- include: held_spelling


-- part: held_spelling
-- Of asked (word, spelling), with the term that a spelling is indexed by.
CROSS JOIN LATERAL (
    SELECT asked.word, asked.spelling, word.lexeme COLLATE "C" AS term
    FROM (SELECT) AS one
    LEFT JOIN LATERAL unnest(to_tsvector('english', asked.spelling)) AS word ON true
    OFFSET 0
) AS found
WHERE found.term IS NULL
    OR EXISTS (
        SELECT
        FROM unnest(%(shelves)s::integer[]) AS searched (shelf)
        CROSS JOIN LATERAL (
            SELECT posting.block
            FROM posting
            WHERE posting.tenant_id = %(tenant_id)s
                AND posting.shelf = searched.shelf
                AND posting.term = found.term
            LIMIT 20
        ) AS held
        CROSS JOIN LATERAL (
            SELECT
            FROM posting_block
            WHERE posting_block.tenant_id = %(tenant_id)s
                AND posting_block.block = held.block
                AND posting_block.is_published
            OFFSET 0
        ) AS published
    )
    OR EXISTS (
        SELECT
        FROM unnest(%(shelves)s::integer[]) AS searched (shelf)
        CROSS JOIN LATERAL (
            SELECT shared_posting.segment, shared_posting.entry, shared_posting.others
            FROM shared_posting
            WHERE shared_posting.tenant_id = %(tenant_id)s
                AND shared_posting.shelf = searched.shelf
                AND shared_posting.term = found.term
            LIMIT 20
        ) AS held
        CROSS JOIN LATERAL unnest(array_prepend(held.entry, held.others)) AS use (entry)
        CROSS JOIN LATERAL (
            SELECT posting_block.is_published
            FROM posting_block
            WHERE posting_block.tenant_id = %(tenant_id)s
                AND posting_block.segment = held.segment
                AND posting_block.first_place <= (use.entry >> 12 & 4095)
            ORDER BY posting_block.first_place DESC
            LIMIT 1
        ) AS whose
        WHERE whose.is_published
    )


-- name: retrieval_scope
-- The size of a filtered scope: its published documents, their chunks, the newest.
SELECT count(*) AS documents,
       coalesce(sum(doc_stats.n), 0)::bigint AS chunks,
       max(document.published_at) AS published_at
FROM collection
JOIN document
    ON document.tenant_id = collection.tenant_id
    AND document.collection_id = collection.collection_id
JOIN doc_stats
    ON doc_stats.tenant_id = document.tenant_id
    AND doc_stats.collection_id = document.collection_id
    AND doc_stats.document_id = document.document_id
    AND doc_stats.version = document.published_version
WHERE collection.tenant_id = %(tenant_id)s
    AND collection.name = ANY(%(names)s)
    AND {wanted}


-- name: retrieval_settle
-- A question's cost, settled once: on its reservation, or on a row of its own without one.
INSERT INTO usage (
    tenant_id, usage_id, state, method, model, user_id, trace_id, input_tokens, output_tokens,
    cost_usd, settled_at)
VALUES (
    %(tenant_id)s, %(usage_id)s, 'SETTLED', %(method)s, %(model)s, %(user_id)s, %(trace_id)s,
    %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, clock_timestamp())
ON CONFLICT (tenant_id, usage_id) DO UPDATE
SET state = 'SETTLED',
    method = excluded.method,
    model = excluded.model,
    user_id = excluded.user_id,
    trace_id = excluded.trace_id,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens,
    cost_usd = excluded.cost_usd,
    settled_at = excluded.settled_at
WHERE usage.state <> 'SETTLED';


-- name: retrieval_size
-- The size of whole collections: their published documents, the chunks, when the last one came.
SELECT coalesce(sum(shelf_size.documents), 0)::bigint AS documents,
       coalesce(sum(shelf_size.chunks), 0)::bigint AS chunks,
       max(shelf_size.published_at) AS published_at
FROM collection
JOIN shelf_size
    ON shelf_size.tenant_id = collection.tenant_id
    AND shelf_size.shelf = collection.shelf
WHERE collection.tenant_id = %(tenant_id)s AND collection.name = ANY(%(names)s);


-- name: retrieval_tuning
-- How this transaction searches: strict order would lose rows to filters, 4 MB spill the grouping.
-- A plan made while tables were small would go on reading them whole once they have grown.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('work_mem', '32MB', true),
       set_config('enable_seqscan', 'off', true);


-- name: retrieval_unembedded
-- The first documents of the scope with chunks that have no vector of the model, and how many each.
-- Of a collection's own model, chunks lack a vector only where the provider refused them: then those
-- that were refused are looked at, and nothing else is read.
WITH listed AS (
    SELECT embedding_failure.document_id
    FROM embedding_failure
    WHERE %(only_refused)s::boolean
        AND embedding_failure.tenant_id = %(tenant_id)s
        AND embedding_failure.model = %(model)s
    GROUP BY embedding_failure.document_id
    UNION ALL
    SELECT document.document_id
    FROM document
    WHERE NOT %(only_refused)s::boolean
        AND document.tenant_id = %(tenant_id)s
        AND document.collection_id = ANY(%(collections)s)
)
SELECT document.document_id,
       (doc_stats.n - embedded.count)::integer AS chunks_without_vectors,
       coalesce(document_version.page_count, 0) AS pages_total
FROM listed
JOIN document
    ON document.tenant_id = %(tenant_id)s AND document.document_id = listed.document_id
JOIN doc_stats
    ON doc_stats.tenant_id = document.tenant_id
    AND doc_stats.collection_id = document.collection_id
    AND doc_stats.document_id = document.document_id
    AND doc_stats.version = document.published_version
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
CROSS JOIN LATERAL (
    SELECT count(*)
    FROM chunk_embedding
    WHERE chunk_embedding.tenant_id = document.tenant_id
        AND chunk_embedding.document_id = document.document_id
        AND chunk_embedding.version = document.published_version
        AND chunk_embedding.model_id = %(model_id)s
) AS embedded
WHERE document.collection_id = ANY(%(collections)s)
    AND doc_stats.n > embedded.count
    AND {wanted}
ORDER BY document.document_id
LIMIT %(most_named)s


-- name: retrieval_unknown_documents
-- The asked document ids that are no document of these collections.
SELECT asked.document_id
FROM unnest(%(document_ids)s::uuid[]) AS asked (document_id)
LEFT JOIN document
    ON document.tenant_id = %(tenant_id)s
    AND document.document_id = asked.document_id
    AND document.collection_id = ANY(%(collections)s)
    AND document.deleted_at IS NULL
WHERE document.document_id IS NULL
ORDER BY asked.document_id;
