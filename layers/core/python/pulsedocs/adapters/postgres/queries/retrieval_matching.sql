-- The chunks of the scope that match a question's words best, with all that selection needs.
-- BM25 over array segments, k1 1.2, b 0.75, idf and score as bm25s has them under "lucene", times
-- k1 + 1. Frequencies, counts and lengths are of all published versions of the collections; the
-- scope only chooses what returns. What cannot be among the best is passed over unread: the bounds
-- and why they lose nothing are in decision 0203.
WITH question AS MATERIALIZED (
    -- unnest, not a tsquery: no character of a question is an operator.
    SELECT word.lexeme COLLATE "C" AS term
    FROM unnest(to_tsvector(%(language)s::regconfig, %(words)s)) AS word
),
published AS MATERIALIZED (
    SELECT document.collection_id, document.document_id, document.published_version AS version,
           doc_stats.n, doc_stats.total_length, ({wanted}) AS is_wanted
    FROM document
    JOIN doc_stats
        ON doc_stats.tenant_id = document.tenant_id
        AND doc_stats.collection_id = document.collection_id
        AND doc_stats.document_id = document.document_id
        AND doc_stats.version = document.published_version
    WHERE document.tenant_id = %(tenant_id)s
        AND document.collection_id = ANY(%(collections)s)
),
corpus AS MATERIALIZED (
    SELECT sum(n)::double precision AS chunks,
           1.2 * 0.75 * sum(n) / nullif(sum(total_length), 0)::double precision AS per_lexeme
    FROM published
),
segment AS MATERIALIZED (
    SELECT posting.term, posting.document_id, posting.version, posting.block, posting.entries,
           posting.most_tf, posting.least_dl, posting.ordinals, posting.tfs, posting.dls,
           published.is_wanted
    FROM question
    JOIN posting ON posting.term = question.term
    JOIN published
        ON published.collection_id = posting.collection_id
        AND published.document_id = posting.document_id
        AND published.version = posting.version
    WHERE posting.tenant_id = %(tenant_id)s
        AND posting.collection_id = ANY(%(collections)s)
),
weighted AS MATERIALIZED (
    SELECT frequency.term, frequency.segments, frequency.entries,
           2.2 * ln(1 + (corpus.chunks - frequency.df + 0.5) / (frequency.df + 0.5)) AS weight,
           corpus.per_lexeme
    FROM (
        SELECT term,
               sum(entries)::double precision AS df,
               count(*) FILTER (WHERE is_wanted) AS segments,
               sum(entries) FILTER (WHERE is_wanted) AS entries
        FROM segment
        GROUP BY term
    ) AS frequency
    CROSS JOIN corpus
    WHERE frequency.segments > 0
),
-- Choosing costs as much as reading a few thousand entries, and leaves out little unless one term
-- has most of them.
skewed AS MATERIALIZED (
    SELECT coalesce(max(entries) > 0.75 * sum(entries)
                    AND sum(entries) > 100 * %(limit)s::bigint, false) AS is_skewed
    FROM weighted
),
read_through AS MATERIALIZED (
    SELECT segment.document_id, segment.version, entry.ordinal,
           sum(weighted.weight * entry.tf
               / (0.3::double precision + entry.tf + weighted.per_lexeme * entry.dl))::real AS score
    FROM segment
    JOIN weighted ON weighted.term = segment.term
    CROSS JOIN unnest(segment.ordinals, segment.tfs, segment.dls) AS entry (ordinal, tf, dl)
    WHERE segment.is_wanted AND NOT (SELECT is_skewed FROM skewed)
    GROUP BY segment.document_id, segment.version, entry.ordinal
    ORDER BY score DESC, segment.document_id, entry.ordinal
    LIMIT %(limit)s
),
-- `bound`: no chunk of the row gets more from this term.
bounded AS NOT MATERIALIZED (
    SELECT segment.*, weighted.segments, weighted.weight, weighted.per_lexeme,
           weighted.weight * segment.most_tf
               / (0.3::double precision + segment.most_tf + weighted.per_lexeme * segment.least_dl)
               AS bound
    FROM segment
    JOIN weighted ON weighted.term = segment.term
    WHERE segment.is_wanted AND (SELECT is_skewed FROM skewed)
),
-- Chunks that do well in one term; scored in all, the k-th best of them is what k chunks reach.
promising AS MATERIALIZED (
    SELECT DISTINCT ranked.document_id, ranked.version, entry.ordinal
    FROM (
        SELECT bounded.*, (entries - %(limit)s / segments)::integer AS at,
               row_number() OVER (PARTITION BY term ORDER BY bound DESC) AS place
        FROM bounded
    ) AS ranked
    CROSS JOIN unnest(ranked.ordinals[ranked.at:]) AS entry (ordinal)
    WHERE ranked.place <= %(limit)s
),
reached AS MATERIALIZED (
    SELECT coalesce(min(best.score), 0) * (1 - 1e-6) AS score
    FROM (
        SELECT sum(bounded.weight * bounded.tfs[found.at]
                   / (0.3::double precision + bounded.tfs[found.at]
                      + bounded.per_lexeme * bounded.dls[found.at])) AS score
        -- FULL, whose halves without the other have no score: no plan of it is a nested loop.
        FROM promising
        FULL JOIN bounded
            ON bounded.document_id = promising.document_id
            AND bounded.version = promising.version
            AND bounded.block = promising.ordinal / 128
        CROSS JOIN LATERAL (
            SELECT coalesce(array_position(bounded.ordinals, promising.ordinal), 0) AS at
        ) AS found
        WHERE found.at > 0
        GROUP BY promising.document_id, promising.version, promising.ordinal
        ORDER BY score DESC
        OFFSET %(limit)s - 1
        LIMIT 1
    ) AS best
),
-- `floor`: a chunk below it in every term is below `reached` in their sum.
floored AS MATERIALIZED (
    SELECT ceiling.term, ceiling.bound AS ceiling,
           greatest(0, reached.score - coalesce(
               sum(ceiling.bound) OVER (
                   ORDER BY ceiling.entries DESC, ceiling.term
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)) AS floor
    FROM (
        SELECT term, sum(entries) AS entries, max(bound) AS bound FROM bounded GROUP BY term
    ) AS ceiling
    CROSS JOIN reached
),
entered AS MATERIALIZED (
    SELECT opened.document_id, opened.version, entry.ordinal,
           sum(opened.weight * entry.tf
               / (0.3::double precision + entry.tf + opened.per_lexeme * entry.dl)) AS known
    FROM (
        SELECT bounded.*,
               -- The first chunk that has the term often enough to get that much.
               1 + width_bucket(CASE WHEN floored.floor > 0 THEN ceil(
                   floored.floor * (0.3 + bounded.per_lexeme * bounded.least_dl)
                   / (bounded.weight - floored.floor) - 1e-6) - 1 ELSE 0 END::smallint, tfs) AS at
        FROM bounded
        JOIN floored ON floored.term = bounded.term AND floored.floor <= bounded.bound
    ) AS opened
    CROSS JOIN unnest(opened.ordinals[opened.at:], opened.tfs[opened.at:], opened.dls[opened.at:])
        AS entry (ordinal, tf, dl)
    GROUP BY opened.document_id, opened.version, entry.ordinal
),
-- Those that what was passed over could still lift to what k chunks reach.
possible AS MATERIALIZED (
    SELECT document_id, version, ordinal
    FROM entered
    WHERE known + (SELECT sum(least(floor, ceiling)) FROM floored) >= greatest(
        (SELECT score FROM reached),
        (SELECT known * (1 - 1e-6) FROM entered ORDER BY known DESC OFFSET %(limit)s - 1 LIMIT 1))
),
lifted AS MATERIALIZED (
    SELECT possible.document_id, possible.version, possible.ordinal,
           sum(bounded.weight * bounded.tfs[found.at]
               / (0.3::double precision + bounded.tfs[found.at]
                  + bounded.per_lexeme * bounded.dls[found.at]))::real AS score
    FROM possible  -- FULL as above
    FULL JOIN bounded
        ON bounded.document_id = possible.document_id
        AND bounded.version = possible.version
        AND bounded.block = possible.ordinal / 128
    CROSS JOIN LATERAL (
        SELECT coalesce(array_position(bounded.ordinals, possible.ordinal), 0) AS at
    ) AS found
    WHERE found.at > 0
    GROUP BY possible.document_id, possible.version, possible.ordinal
    ORDER BY score DESC, possible.document_id, possible.ordinal
    LIMIT %(limit)s
),
best AS MATERIALIZED (
    -- One of the two is empty. As real: the order in which a plan adds up must not decide a tie.
    SELECT document_id, version, ordinal, score FROM read_through
    UNION ALL
    SELECT document_id, version, ordinal, score FROM lifted
)
SELECT row_number() OVER (ORDER BY best.score DESC, best.document_id, best.ordinal)::integer
           AS rank,
       best.score::double precision AS score,
       document_chunk.chunk_id, best.document_id, best.version,
       document.source, document.title, document.metadata::text AS metadata,
       coalesce(document.content_date::timestamp AT TIME ZONE 'UTC', document.published_at)
           AS dated_at,
       document_chunk.chunk_index, document_chunk.text, document_chunk.content_hash,
       document_chunk.page_start, document_chunk.page_end,
       -- Read only where there are pages between the two.
       CASE WHEN document_chunk.page_end - document_chunk.page_start > 1
            THEN document_chunk.spans END AS spans,
       document_chunk.section, document_chunk.tokens,
       1 - (chunk_embedding.embedding <=> %(question)s::halfvec) AS similarity
FROM best
JOIN document ON document.tenant_id = %(tenant_id)s AND document.document_id = best.document_id
JOIN document_chunk
    ON document_chunk.tenant_id = %(tenant_id)s
    AND document_chunk.document_id = best.document_id
    AND document_chunk.version = best.version
    AND document_chunk.chunk_index = best.ordinal
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = %(tenant_id)s
    AND chunk_embedding.document_id = best.document_id
    AND chunk_embedding.version = best.version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = %(model_id)s
ORDER BY rank
