-- name: retrieval_matching
-- The chunks of the scope that match a question's words best, with all that selection needs.
-- BM25 over packed postings, k1 1.2, b 0.75, idf and score as bm25s has them under "lucene", times
-- k1 + 1; a word that the question has twice counts twice. Frequencies, counts and lengths are of
-- all published versions of the collections; the scope only chooses what returns. A word that gives
-- little and costs most is not read through where chunks with the others cannot be overtaken:
-- decision 0024. What is fenced by OFFSET 0 is looked up by its key, whatever other tenants have
-- and whatever is known of the tables: decision 0033.
WITH question AS MATERIALIZED (
    -- unnest, not a tsquery: no character of a question is an operator.
    SELECT word.lexeme COLLATE "C" AS term, cardinality(word.positions) AS times
    FROM (SELECT %(words)s::text AS text) AS said
    CROSS JOIN LATERAL unnest(to_tsvector(
        %(language)s::regconfig,
        -- include: with_words_apart
        )) AS word
),
corpus AS MATERIALIZED (
    SELECT sum(chunks)::double precision AS chunks,
           1.2 * 0.75 * sum(chunks) / nullif(sum(total_length), 0)::double precision AS per_lexeme
    FROM shelf_size
    WHERE tenant_id = %(tenant_id)s AND shelf = ANY(%(shelves)s)
),
-- Postings of one block, and those that the blocks of a segment share: decision 0067.
own AS MATERIALIZED (
    SELECT question.term, found.block, found.entry, found.others
    FROM unnest(%(shelves)s::integer[]) AS asked (shelf)
    CROSS JOIN question
    CROSS JOIN LATERAL (
        SELECT posting.block, posting.entry, posting.others
        FROM posting
        WHERE posting.tenant_id = %(tenant_id)s
            AND posting.shelf = asked.shelf
            AND posting.term = question.term
        OFFSET 0
    ) AS found
),
shared AS MATERIALIZED (
    SELECT question.term, found.segment, found.entry, found.others
    FROM unnest(%(shelves)s::integer[]) AS asked (shelf)
    CROSS JOIN question
    CROSS JOIN LATERAL (
        SELECT shared_posting.segment, shared_posting.entry, shared_posting.others
        FROM shared_posting
        WHERE shared_posting.tenant_id = %(tenant_id)s
            AND shared_posting.shelf = asked.shelf
            AND shared_posting.term = question.term
        OFFSET 0
    ) AS found
),
-- `unit`: the segment, else the block; their numbers are of one sequence.
block AS MATERIALIZED (
    SELECT held.unit, held.first_place, held.lengths, held.document_id, held.version,
           held.first_index, held.is_published,
           held.is_published AND (NOT %(is_filtered)s OR EXISTS (
               SELECT FROM document
               WHERE document.tenant_id = %(tenant_id)s
                   AND document.document_id = held.document_id
                   AND {wanted})) AS is_wanted
    FROM (
        SELECT found.block AS unit, 0 AS first_place, found.lengths, found.document_id,
               found.version, found.first_index, found.is_published
        FROM (SELECT DISTINCT own.block AS number FROM own) AS named
        CROSS JOIN LATERAL (
            SELECT posting_block.*
            FROM posting_block
            WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = named.number
            OFFSET 0
        ) AS found
        UNION ALL
        SELECT found.segment, found.first_place, found.lengths, found.document_id,
               found.version, found.first_index, found.is_published
        FROM (SELECT DISTINCT shared.segment AS number FROM shared) AS named
        CROSS JOIN LATERAL (
            SELECT posting_block.*
            FROM posting_block
            WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.segment = named.number
            OFFSET 0
        ) AS found
    ) AS held
),
whole AS MATERIALIZED (
    SELECT unit, bool_or(is_wanted) AS is_wanted, bool_and(is_wanted) AS is_all_wanted,
           bool_and(is_published) AS is_all_published
    FROM block
    WHERE unit IN (SELECT shared.segment FROM shared)
    GROUP BY unit
),
-- A bit for each place of a segment, only where not all are alike: of all it would take as long as
-- the rest of a question without a common word.
mask AS MATERIALIZED (
    SELECT unit,
           string_agg(repeat('0', gap) || repeat(is_published::integer::text, chunks), ''
                      ORDER BY first_place)::varbit AS published,
           string_agg(repeat('0', gap) || repeat(is_wanted::integer::text, chunks), ''
                      ORDER BY first_place)::varbit AS wanted
    FROM (
        SELECT placed.*, first_place - lag(first_place + chunks, 1, 0) OVER (
                             PARTITION BY unit ORDER BY first_place) AS gap
        FROM (
            SELECT block.*, cardinality(lengths) AS chunks
            FROM block
            WHERE unit IN (SELECT whole.unit FROM whole WHERE NOT whole.is_all_wanted)
        ) AS placed
    ) AS placed
    GROUP BY unit
),
segment AS MATERIALIZED (
    SELECT whole.unit, whole.is_wanted, mask.wanted,
           CASE WHEN NOT whole.is_all_published THEN mask.published END AS published
    FROM whole
    LEFT JOIN mask ON mask.unit = whole.unit
),
-- `most`: no chunk of the row has the term more often.
matched_own AS MATERIALIZED (
    SELECT own.term, own.entry, own.others, (own.entry >> 7) + 1 AS most,
           1 + coalesce(cardinality(own.others), 0) AS entries,
           block.unit, block.lengths, block.is_wanted
    FROM own
    JOIN block ON block.unit = own.block
    WHERE block.is_published
),
matched_shared AS MATERIALIZED (
    SELECT shared.term, shared.entry, shared.others, (shared.entry >> 24) + 129 AS most,
           CASE WHEN segment.published IS NULL
                THEN 1 + coalesce(cardinality(shared.others), 0)
                ELSE (SELECT count(*)
                      FROM unnest(array_prepend(shared.entry, shared.others)) AS use (entry)
                      WHERE get_bit(segment.published, use.entry >> 12 & 4095) = 1)
           END AS entries,
           segment.unit, segment.wanted, segment.is_wanted
    FROM shared
    JOIN segment ON segment.unit = shared.segment
),
-- `ceiling`: no chunk of the scope gets more from this term, however short. To find the shortest
-- chunk of each block took as long as all the rest of a question without a common word.
frequency AS MATERIALIZED (
    SELECT counted.term, counted.entries, counted.weight, corpus.per_lexeme,
           counted.weight * counted.most / (0.3::double precision + counted.most) AS ceiling
    FROM (
        SELECT matched.term,
               question.times * 2.2 * ln(1 + (corpus.chunks - sum(matched.entries) + 0.5)
                                             / (sum(matched.entries) + 0.5)) AS weight,
               sum(matched.entries) FILTER (WHERE matched.is_wanted) AS entries,
               max(matched.most) FILTER (WHERE matched.is_wanted) AS most
        FROM (
            SELECT term, entries, most, is_wanted FROM matched_own
            UNION ALL
            SELECT term, entries, most, is_wanted FROM matched_shared
        ) AS matched
        JOIN question ON question.term = matched.term
        CROSS JOIN corpus
        GROUP BY matched.term, question.times, corpus.chunks
    ) AS counted
    CROSS JOIN corpus
    WHERE counted.entries > 0
),
-- Late are as few of the commonest terms as cost more than two thirds, where they give less than one:
-- each more would be one more to overtake by.
weighted AS MATERIALIZED (
    SELECT term, weight, per_lexeme, ceiling,
           is_costly
           AND sum(entries) OVER () > 100 * %(limit)s::bigint
           AND 3 * sum(ceiling) FILTER (WHERE is_costly) OVER () < sum(ceiling) OVER () AS is_late
    FROM (
        SELECT frequency.*,
               3 * (sum(entries) OVER (ORDER BY entries DESC, term) - entries)
               <= 2 * sum(entries) OVER () AS is_costly
        FROM frequency
    ) AS ranked
),
early AS MATERIALIZED (
    WITH chosen AS (
        SELECT * FROM weighted WHERE NOT is_late AND (SELECT bool_or(is_late) FROM weighted)
    )
    SELECT chunk, sum(weight * tf / (tf + 0.3::double precision + per_lexeme * dl)) AS score
    FROM (
        -- include: uses
    ) AS use
    GROUP BY chunk
),
-- What k chunks reach by their early terms; enough, if none gets as much from the late alone.
reached AS MATERIALIZED (
    SELECT late.ceiling, bar.score, coalesce(bar.score > late.ceiling, false) AS is_enough
    FROM (SELECT sum(ceiling) AS ceiling FROM weighted WHERE is_late) AS late
    CROSS JOIN (
        SELECT (
            SELECT score * (1 - 1e-6) FROM early ORDER BY score DESC OFFSET %(limit)s - 1 LIMIT 1
        ) AS score
    ) AS bar
),
possible AS MATERIALIZED (
    SELECT early.chunk, early.score
    FROM early
    CROSS JOIN reached
    WHERE reached.is_enough AND early.score + reached.ceiling >= reached.score
),
completed AS MATERIALIZED (
    WITH chosen AS (
        SELECT * FROM weighted WHERE is_late AND (SELECT is_enough FROM reached)
    )
    SELECT chunk, sum(score)::real AS score
    FROM (
        SELECT chunk, score FROM possible
        UNION ALL
        SELECT possible.chunk,
               use.weight * use.tf
               / (use.tf + 0.3::double precision + use.per_lexeme * use.dl)
        FROM possible
        JOIN (
            -- include: uses
        ) AS use ON use.chunk = possible.chunk
    ) AS part
    GROUP BY chunk
    ORDER BY score DESC
    FETCH FIRST (SELECT %(limit)s::bigint) ROWS WITH TIES
),
read_through AS MATERIALIZED (
    WITH chosen AS (
        SELECT * FROM weighted WHERE NOT (SELECT is_enough FROM reached)
    )
    -- As real: the order in which a plan adds up must not decide a tie.
    SELECT chunk, sum(weight * tf / (tf + 0.3::double precision + per_lexeme * dl))::real AS score
    FROM (
        -- include: uses
    ) AS use
    GROUP BY chunk
    ORDER BY score DESC
    FETCH FIRST (SELECT %(limit)s::bigint) ROWS WITH TIES
),
best AS MATERIALIZED (
    -- One of the two is empty. Apart from what follows, which reads a chunk by its whole key.
    SELECT found.score, block.document_id, block.version,
           block.first_index + (found.chunk & 4095)::integer - block.first_place AS chunk_index
    FROM (SELECT * FROM completed UNION ALL SELECT * FROM read_through) AS found
    JOIN block
        ON block.unit = found.chunk >> 12
        AND (found.chunk & 4095) >= block.first_place
        AND (found.chunk & 4095) < block.first_place + cardinality(block.lengths)
    ORDER BY found.score DESC, block.document_id, chunk_index
    LIMIT %(limit)s
)
SELECT row_number() OVER (
           ORDER BY best.score DESC, best.document_id, best.chunk_index)::integer AS rank,
       best.score::double precision AS score,
       chunk.chunk_id, best.document_id, best.version,
       document.source, coalesce(document.title, document.file_title) AS title,
       document.metadata::text AS metadata,
       document.content_date::timestamp AT TIME ZONE 'UTC' AS dated_at,
       chunk.chunk_index, chunk.text, chunk.page_start, chunk.page_end,
       -- Read only where there is more than one page.
       CASE WHEN chunk.page_end > chunk.page_start THEN chunk.spans END AS spans,
       -- include: how_it_is_cut
       1 - (vector.embedding <=> %(question)s::halfvec) AS similarity
FROM best
CROSS JOIN LATERAL (
    SELECT document.*
    FROM document
    WHERE document.tenant_id = %(tenant_id)s AND document.document_id = best.document_id
    OFFSET 0
) AS document
CROSS JOIN LATERAL (
    -- Ordered, so that the index of chunk_index is the one to take: others begin alike, and to a
    -- planner whose documents are small reading all chunks of one costs the same.
    SELECT document_chunk.*
    FROM document_chunk
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = best.document_id
        AND document_chunk.version = best.version
        AND document_chunk.chunk_index >= best.chunk_index
    ORDER BY document_chunk.chunk_index
    LIMIT 1
) AS chunk
LEFT JOIN LATERAL (
    SELECT chunk_embedding.embedding
    FROM chunk_embedding
    WHERE chunk_embedding.tenant_id = %(tenant_id)s
        AND chunk_embedding.document_id = best.document_id
        AND chunk_embedding.version = best.version
        AND chunk_embedding.chunk_id = chunk.chunk_id
        AND chunk_embedding.model_id = %(model_id)s
    OFFSET 0
) AS vector ON true
ORDER BY rank


-- name: retrieval_near_exact
-- The vectors of the scope nearest to one, all of them compared, with their documents.
-- Document by document, behind OFFSET 0: without statistics a join read every document of the scope
-- for each vector (15,002 blocks instead of 300 for 1,200 vectors).
SELECT held.document_id, held.version, held.chunk_id, held.embedding, {distance} AS distance,
       document.source, coalesce(document.title, document.file_title) AS title,
       document.metadata, document.content_date
FROM document
CROSS JOIN LATERAL (
    SELECT chunk_embedding.*
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
ORDER BY {distance}, held.chunk_id
LIMIT %(limit)s


-- name: retrieval_near_index
-- Vectors of the scope near to one, found through HNSW, with their documents.
-- With the distance as the index has it, alone in ORDER BY, PostgreSQL may use HNSW; in any other
-- form it reads every vector of the scope.
SELECT chunk_embedding.document_id, chunk_embedding.version, chunk_embedding.chunk_id,
       chunk_embedding.embedding, {distance} AS distance,
       document.source, coalesce(document.title, document.file_title) AS title,
       document.metadata, document.content_date
FROM chunk_embedding
JOIN document
    ON document.tenant_id = chunk_embedding.tenant_id
    AND document.document_id = chunk_embedding.document_id
    AND document.published_version = chunk_embedding.version
WHERE chunk_embedding.tenant_id = %(tenant_id)s
    AND chunk_embedding.model_id = %(model_id)s
    AND document.collection_id = ANY(%(collections)s)
    AND {wanted}
ORDER BY {distance}
LIMIT %(limit)s


-- name: retrieval_nearest
-- The chunks of the scope nearest to a vector, ranked, with all that selection needs.
-- `similarity` is the cosine to the question itself.
WITH found AS MATERIALIZED ({near})
SELECT row_number() OVER (ORDER BY found.distance, found.chunk_id)::integer AS rank,
       1 - found.distance AS score,
       found.chunk_id, found.document_id, found.version, found.source, found.title,
       found.metadata::text AS metadata,
       found.content_date::timestamp AT TIME ZONE 'UTC' AS dated_at,
       chunk.chunk_index, chunk.text, chunk.page_start, chunk.page_end,
       -- Read only where there is more than one page.
       CASE WHEN chunk.page_end > chunk.page_start THEN chunk.spans END AS spans,
       -- include: how_it_is_cut
       1 - (found.embedding <=> %(question)s::halfvec) AS similarity
FROM found
CROSS JOIN LATERAL (
    SELECT document_chunk.*
    FROM document_chunk
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = found.document_id
        AND document_chunk.version = found.version
        AND document_chunk.chunk_id = found.chunk_id
    OFFSET 0
) AS chunk
ORDER BY rank


-- name: retrieval_on_pages
-- The chunks on pages of the scope's one document, with all that selection needs: those of the page
-- asked for first before the others, and the nearest to the question first.
SELECT row_number() OVER (
           ORDER BY chunk.place, vector.distance NULLS LAST, chunk.chunk_index)::integer AS rank,
       coalesce(1 - vector.distance, 0)::double precision AS score,
       chunk.chunk_id, document.document_id, chunk.version,
       document.source, coalesce(document.title, document.file_title) AS title,
       document.metadata::text AS metadata,
       document.content_date::timestamp AT TIME ZONE 'UTC' AS dated_at,
       chunk.chunk_index, chunk.text, chunk.page_start, chunk.page_end,
       CASE WHEN chunk.page_end > chunk.page_start THEN chunk.spans END AS spans,
       -- include: how_it_is_cut
       1 - vector.distance AS similarity
FROM document
CROSS JOIN LATERAL (
    SELECT document_chunk.*,
           (SELECT min(asked.place)
            FROM unnest(%(pages)s::integer[]) WITH ORDINALITY AS asked (page, place)
            WHERE asked.page BETWEEN document_chunk.page_start AND document_chunk.page_end) AS place
    FROM document_chunk
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = document.document_id
        AND document_chunk.version = document.published_version
    OFFSET 0
) AS chunk
LEFT JOIN LATERAL (
    SELECT chunk_embedding.embedding <=> %(question)s::halfvec AS distance
    FROM chunk_embedding
    WHERE chunk_embedding.tenant_id = %(tenant_id)s
        AND chunk_embedding.document_id = document.document_id
        AND chunk_embedding.version = chunk.version
        AND chunk_embedding.chunk_id = chunk.chunk_id
        AND chunk_embedding.model_id = %(model_id)s
    OFFSET 0
) AS vector ON true
WHERE document.tenant_id = %(tenant_id)s
    AND document.collection_id = ANY(%(collections)s)
    AND document.published_version IS NOT NULL
    AND {wanted}
    AND chunk.place IS NOT NULL
ORDER BY rank
LIMIT %(limit)s


-- name: retrieval_plan
-- What time it is, and whether the next statement is planned for its parameters, or for any.
SELECT clock_timestamp() AS at, set_config('plan_cache_mode', %(mode)s, true);


-- part: uses
-- The uses of the `chosen` terms in chunks that are wanted. A chunk is 4,096 times its unit, and its
-- place there.
-- Unnested here, not in FROM, where each row's array would be written to a table of its own.
SELECT unit::bigint << 12 | (entry & 127) AS chunk, (entry >> 7) + 1 AS tf,
       lengths[(entry & 127) + 1]::integer AS dl, weight, per_lexeme
FROM (
    SELECT matched_own.unit, unnest(array_prepend(matched_own.entry, matched_own.others)) AS entry,
           matched_own.lengths, chosen.weight, chosen.per_lexeme
    FROM matched_own
    JOIN chosen ON chosen.term = matched_own.term
    WHERE matched_own.is_wanted
) AS of_block
UNION ALL
SELECT unit::bigint << 12 | (entry >> 12 & 4095), (entry >> 24) + 129, entry & 4095,
       weight, per_lexeme
FROM (
    SELECT matched_shared.unit, matched_shared.wanted,
           unnest(array_prepend(matched_shared.entry, matched_shared.others)) AS entry,
           chosen.weight, chosen.per_lexeme
    FROM matched_shared
    JOIN chosen ON chosen.term = matched_shared.term
    WHERE matched_shared.is_wanted
) AS of_segment
WHERE wanted IS NULL OR get_bit(wanted, entry >> 12 & 4095) = 1


-- part: how_it_is_cut
-- What a `chunk` is among the others of its version.
       chunk.section, chunk.tokens, chunk.method, chunk.created_at AS chunked_at,
       (SELECT document_version.chunk_count
        FROM document_version
        WHERE document_version.tenant_id = %(tenant_id)s
            AND document_version.document_id = chunk.document_id
            AND document_version.version = chunk.version) AS chunk_count,
