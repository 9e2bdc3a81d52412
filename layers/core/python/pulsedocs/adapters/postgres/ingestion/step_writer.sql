-- name: chunked_for_model
-- The model that a version was cut into batches for.
SELECT result ->> 'model' FROM step_ledger
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND step = 'chunk';


-- name: count_chunks (kept)
-- How many chunks a version was split into, and the title they are embedded with.
UPDATE document_version
SET chunk_count = %(chunks)s, embedded_title = %(embedded_title)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: describe_content (kept)
-- What was read from the bytes of a version.
UPDATE document_version
SET size = %(size)s, page_count = %(pages)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: index_words
-- The keyword index of one version: a row per lexeme and 128 chunks, and its size in lexemes.
WITH lexeme AS MATERIALIZED (
    SELECT document_chunk.chunk_index,
           word.lexeme COLLATE "C" AS term,
           cardinality(word.positions) AS tf
    FROM document_chunk
    CROSS JOIN LATERAL (
        SELECT concat_ws(E'\n', context_before, document_chunk.text, context_after) AS text
    ) AS said
    -- A chunk without any word counts too, and is long as none.
    LEFT JOIN LATERAL unnest(to_tsvector(
        (SELECT language::regconfig FROM collection
         WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s),
        -- include: with_words_apart
        )) AS word ON true
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = %(document_id)s
        AND document_chunk.version = %(version)s
),
block AS (
    INSERT INTO posting_block (tenant_id, shelf, document_id, version, first_index, lengths)
    SELECT %(tenant_id)s,
           (SELECT shelf FROM collection
            WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s),
           %(document_id)s, %(version)s, chunk_index / 128 * 128,
           array_agg(dl::smallint ORDER BY chunk_index)
    FROM (SELECT chunk_index, coalesce(sum(tf), 0) AS dl FROM lexeme GROUP BY chunk_index) AS chunk
    GROUP BY chunk_index / 128
    RETURNING shelf, block, first_index
),
indexed AS (
    INSERT INTO posting (tenant_id, shelf, block, entry, term, others)
    SELECT %(tenant_id)s, block.shelf, block.block, entries[1], term, nullif(entries[2:], '{}')
    FROM (
        SELECT term, chunk_index / 128 * 128 AS first_index,
               array_agg((128 * (tf - 1) + chunk_index %% 128)::smallint
                         ORDER BY 128 * (tf - 1) + chunk_index %% 128 DESC) AS entries
        FROM lexeme
        WHERE term IS NOT NULL
        GROUP BY term, first_index
    ) AS packed
    JOIN block USING (first_index)
    ORDER BY term, first_index
)
INSERT INTO doc_stats (tenant_id, collection_id, document_id, version, n, total_length)
SELECT %(tenant_id)s, %(collection_id)s, %(document_id)s, %(version)s,
       %(chunks)s, coalesce(sum(tf), 0)
FROM lexeme;


-- name: insert_chunks
-- Chunks of one version, in the order of their key.
INSERT INTO document_chunk (
    tenant_id, document_id, version, chunk_id, chunk_index, text, page_start, page_end, spans,
    section, tokens, characters, profile, method, parameters, flags, chunk_hash, content_hash,
    context_before, context_after)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, chunk_id, chunk_index, text, page_start,
       page_end, spans, section, tokens, length(text), profile, method, parameters, flags,
       chunk_hash, content_hash, context_before, context_after
FROM json_to_recordset(%(chunks)s) AS chunk (
    chunk_id uuid, chunk_index integer, text text, page_start integer, page_end integer,
    spans jsonb, section text[], tokens integer, profile text, method text, parameters jsonb,
    flags text[], chunk_hash bytea, content_hash bytea, context_before text, context_after text)
ORDER BY chunk_id;


-- name: insert_pages
-- Pages as extraction found them. COPY is refused under row-level security, hence JSON.
INSERT INTO document_page (
    tenant_id, document_id, version, page_number, outcome, failure_code, parser, label,
    hidden_characters, raw_text, raw_headings, verbatim, is_sheet, confidence,
    certainties, is_picture)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, page_number, outcome, failure_code, parser,
       label, hidden_characters, raw_text, raw_headings, verbatim, is_sheet, confidence,
       certainties, is_picture
FROM json_to_recordset(%(pages)s) AS page (
    page_number integer, outcome text, failure_code text, parser text, label text,
    hidden_characters integer, raw_text text, raw_headings jsonb,
    verbatim jsonb, is_sheet boolean, confidence real,
    certainties smallint[], is_picture boolean)
ORDER BY page_number;


-- name: keep_model (kept)
-- Nothing; until the transaction ends, the collection stays with its model.
SELECT pg_advisory_xact_lock_shared(
    hashtextextended('pulsedocs.model of ' || collection_id::text, 0))
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: name_file (kept)
-- What the bytes of a version call themselves; shown at once where nothing is published yet.
WITH named AS (
    UPDATE document_version
    SET file_title = %(title)s
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
)
UPDATE document
SET file_title = %(title)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND published_version IS NULL;


-- name: sort_in_memory
-- This transaction sorts in memory: 1,500 chunks have 67,000 words, and 4 MB spill to disk.
SELECT set_config('work_mem', '64MB', true);


-- name: warn (kept)
-- What people should know of a version, after what was said before; nothing is said twice.
UPDATE document_version
SET warnings = warnings || ARRAY(
    SELECT said.text
    FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS said (text, place)
    WHERE said.text <> ALL (warnings)
    ORDER BY said.place)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: write_cleaned
-- What cleaning made of each page.
UPDATE document_page
SET cleaned_text = page.cleaned_text,
    cleaned_headings = page.cleaned_headings,
    offsets = page.offsets,
    label = page.label,
    furniture = page.furniture
FROM json_to_recordset(%(pages)s) AS page (
    page_number integer, cleaned_text text, cleaned_headings jsonb, offsets jsonb, label text,
    furniture text[])
WHERE document_page.tenant_id = %(tenant_id)s
    AND document_page.document_id = %(document_id)s
    AND document_page.version = %(version)s
    AND document_page.page_number = page.page_number;
