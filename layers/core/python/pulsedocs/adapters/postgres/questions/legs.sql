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
    FROM unnest(to_tsvector(%(language)s::regconfig, %(words)s)) AS word
),
corpus AS MATERIALIZED (
    SELECT sum(chunks)::double precision AS chunks,
           1.2 * 0.75 * sum(chunks) / nullif(sum(total_length), 0)::double precision AS per_lexeme
    FROM shelf_size
    WHERE tenant_id = %(tenant_id)s AND shelf = ANY(%(shelves)s)
),
segment AS MATERIALIZED (
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
published AS MATERIALIZED (
    -- Numbered in the order of ids: numbers are hashed and compared faster, and order ties alike.
    SELECT (row_number() OVER (ORDER BY document_id, first_index))::integer AS number,
           block, document_id, version, first_index, lengths,
           NOT %(is_filtered)s OR EXISTS (
               SELECT FROM document
               WHERE document.tenant_id = %(tenant_id)s
                   AND document.document_id = held.document_id
                   AND {wanted}) AS is_wanted
    FROM (SELECT DISTINCT segment.block AS number FROM segment) AS named
    CROSS JOIN LATERAL (
        SELECT posting_block.*
        FROM posting_block
        WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = named.number
        OFFSET 0
    ) AS held
    WHERE held.is_published
),
-- `most`: no chunk of the row has the term more often.
matched AS MATERIALIZED (
    SELECT segment.term, segment.entry, segment.others, (segment.entry >> 7) + 1 AS most,
           1 + coalesce(cardinality(segment.others), 0) AS entries,
           published.number, published.lengths, published.is_wanted
    FROM segment
    JOIN published ON published.block = segment.block
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
        FROM matched
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
    SELECT number, entry & 127 AS place,
           sum(weight * ((entry >> 7) + 1)
               / (1.3::double precision + (entry >> 7)
                  + per_lexeme * lengths[(entry & 127) + 1])) AS score
    FROM (
        -- Here, not in FROM, where each row's array would be written to a table of its own.
        SELECT matched.number, unnest(array_prepend(matched.entry, matched.others)) AS entry,
               matched.lengths, weighted.weight, weighted.per_lexeme
        FROM matched
        JOIN weighted ON weighted.term = matched.term
        WHERE matched.is_wanted AND NOT weighted.is_late
            AND (SELECT bool_or(is_late) FROM weighted)
    ) AS use
    GROUP BY number, place
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
    SELECT early.number, early.place, early.score
    FROM early
    CROSS JOIN reached
    WHERE reached.is_enough AND early.score + reached.ceiling >= reached.score
),
completed AS MATERIALIZED (
    SELECT number, place, sum(score)::real AS score
    FROM (
        SELECT number, place, score FROM possible
        UNION ALL
        SELECT possible.number, possible.place,
               use.weight * ((use.entry >> 7) + 1)
               / (1.3::double precision + (use.entry >> 7)
                  + use.per_lexeme * use.lengths[possible.place + 1])
        FROM possible
        JOIN (
            SELECT matched.number, unnest(array_prepend(matched.entry, matched.others)) AS entry,
                   matched.lengths, weighted.weight, weighted.per_lexeme
            FROM matched
            JOIN weighted ON weighted.term = matched.term AND weighted.is_late
            WHERE matched.number IN (SELECT number FROM possible)
        ) AS use ON use.number = possible.number AND use.entry & 127 = possible.place
    ) AS part
    GROUP BY number, place
    ORDER BY score DESC, number, place
    LIMIT %(limit)s
),
read_through AS MATERIALIZED (
    -- As real: the order in which a plan adds up must not decide a tie.
    SELECT number, entry & 127 AS place,
           sum(weight * ((entry >> 7) + 1)
               / (1.3::double precision + (entry >> 7)
                  + per_lexeme * lengths[(entry & 127) + 1]))::real AS score
    FROM (
        SELECT matched.number, unnest(array_prepend(matched.entry, matched.others)) AS entry,
               matched.lengths, weighted.weight, weighted.per_lexeme
        FROM matched
        JOIN weighted ON weighted.term = matched.term
        WHERE matched.is_wanted AND NOT (SELECT is_enough FROM reached)
    ) AS use
    GROUP BY number, place
    ORDER BY score DESC, number, place
    LIMIT %(limit)s
),
best AS MATERIALIZED (
    -- One of the two is empty. Apart from what follows, which reads a chunk by its whole key.
    SELECT found.number, found.place, found.score, published.document_id, published.version,
           published.first_index + found.place AS chunk_index
    FROM (SELECT * FROM completed UNION ALL SELECT * FROM read_through) AS found
    JOIN published ON published.number = found.number
)
SELECT row_number() OVER (ORDER BY best.score DESC, best.number, best.place)::integer AS rank,
       best.score::double precision AS score,
       chunk.chunk_id, best.document_id, best.version,
       document.source, coalesce(document.title, document.file_title) AS title,
       document.metadata::text AS metadata,
       document.content_date::timestamp AT TIME ZONE 'UTC' AS dated_at,
       chunk.chunk_index, chunk.text, chunk.page_start, chunk.page_end,
       -- Read only where there is more than one page.
       CASE WHEN chunk.page_end > chunk.page_start THEN chunk.spans END AS spans,
       chunk.section, chunk.tokens,
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
       document_chunk.chunk_index, document_chunk.text,
       document_chunk.page_start, document_chunk.page_end,
       -- Read only where there is more than one page.
       CASE WHEN document_chunk.page_end > document_chunk.page_start
            THEN document_chunk.spans END AS spans,
       document_chunk.section, document_chunk.tokens,
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
) AS document_chunk
ORDER BY rank


-- name: retrieval_plan
-- What time it is, and whether the next statement is planned for its parameters, or for any.
SELECT clock_timestamp() AS at, set_config('plan_cache_mode', %(mode)s, true);
