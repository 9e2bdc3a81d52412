-- The chunks of the scope that match a question's words best, with all that selection needs.
-- BM25 over array segments, k1 1.2, b 0.75, idf and score as bm25s has them under "lucene", times
-- k1 + 1. Frequencies, counts and lengths are of all published versions of the collections; the
-- scope only chooses what returns. A word that gives little and costs most is not read through
-- where chunks with the others cannot be overtaken: decision 0203.
WITH question AS MATERIALIZED (
    -- unnest, not a tsquery: no character of a question is an operator.
    SELECT word.lexeme COLLATE "C" AS term
    FROM unnest(to_tsvector(%(language)s::regconfig, %(words)s)) AS word
),
published AS MATERIALIZED (
    -- Numbered in the order of ids: numbers are hashed and compared faster, and order ties alike.
    SELECT (row_number() OVER (ORDER BY document.document_id))::integer AS number,
           document.collection_id, document.document_id, document.published_version AS version,
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
    SELECT posting.term, published.number, posting.block, posting.entries, posting.most_tf,
           posting.least_dl, posting.ordinals, posting.tfs, posting.dls, published.is_wanted
    FROM question
    JOIN posting ON posting.term = question.term
    JOIN published
        ON published.collection_id = posting.collection_id
        AND published.document_id = posting.document_id
        AND published.version = posting.version
    WHERE posting.tenant_id = %(tenant_id)s
        AND posting.collection_id = ANY(%(collections)s)
),
-- `ceiling`: no chunk of the scope gets more from this term.
frequency AS MATERIALIZED (
    SELECT counted.term, counted.entries, counted.weight, corpus.per_lexeme,
           counted.weight * counted.most AS ceiling
    FROM (
        SELECT segment.term,
               2.2 * ln(1 + (corpus.chunks - sum(segment.entries) + 0.5)
                            / (sum(segment.entries) + 0.5)) AS weight,
               sum(segment.entries) FILTER (WHERE segment.is_wanted) AS entries,
               max(segment.most_tf / (0.3::double precision + segment.most_tf
                                      + corpus.per_lexeme * segment.least_dl))
                   FILTER (WHERE segment.is_wanted) AS most
        FROM segment
        CROSS JOIN corpus
        GROUP BY segment.term, corpus.chunks
    ) AS counted
    CROSS JOIN corpus
    WHERE counted.entries > 0
),
-- Late are the commonest terms: together they give less than a third, and cost more than two.
weighted AS MATERIALIZED (
    SELECT term, weight, per_lexeme, ceiling,
           is_low
           AND sum(entries) OVER () > 100 * %(limit)s::bigint
           AND 3 * sum(entries) FILTER (WHERE is_low) OVER () > 2 * sum(entries) OVER () AS is_late
    FROM (
        SELECT frequency.*,
               3 * sum(ceiling) OVER (ORDER BY entries DESC, term) < sum(ceiling) OVER () AS is_low
        FROM frequency
    ) AS ranked
),
early AS MATERIALIZED (
    SELECT number, ordinal,
           sum(weight * tf / (0.3::double precision + tf + per_lexeme * dl)) AS score
    FROM (
        -- Here, not in FROM, where each row's arrays would be written to a table of their own.
        SELECT segment.number, unnest(segment.ordinals) AS ordinal, unnest(segment.tfs) AS tf,
               unnest(segment.dls) AS dl, weighted.weight, weighted.per_lexeme
        FROM segment
        JOIN weighted ON weighted.term = segment.term
        WHERE segment.is_wanted AND NOT weighted.is_late
            AND (SELECT bool_or(is_late) FROM weighted)
    ) AS entry
    GROUP BY number, ordinal
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
    SELECT early.number, early.ordinal, early.score
    FROM early
    CROSS JOIN reached
    WHERE reached.is_enough AND early.score + reached.ceiling >= reached.score
),
completed AS MATERIALIZED (
    SELECT number, ordinal, sum(score)::real AS score
    FROM (
        SELECT number, ordinal, score FROM possible
        UNION ALL
        SELECT possible.number, possible.ordinal,
               weighted.weight * segment.tfs[place.at]
               / (0.3::double precision + segment.tfs[place.at]
                  + weighted.per_lexeme * segment.dls[place.at])
        FROM possible
        JOIN segment
            ON segment.number = possible.number
            AND segment.block = possible.ordinal / 128
        JOIN weighted ON weighted.term = segment.term AND weighted.is_late
        CROSS JOIN LATERAL (
            SELECT array_position(segment.ordinals, possible.ordinal) AS at
        ) AS place
        WHERE place.at > 0
    ) AS part
    GROUP BY number, ordinal
    ORDER BY score DESC, number, ordinal
    LIMIT %(limit)s
),
read_through AS MATERIALIZED (
    -- As real: the order in which a plan adds up must not decide a tie.
    SELECT number, ordinal,
           sum(weight * tf / (0.3::double precision + tf + per_lexeme * dl))::real AS score
    FROM (
        SELECT segment.number, unnest(segment.ordinals) AS ordinal, unnest(segment.tfs) AS tf,
               unnest(segment.dls) AS dl, weighted.weight, weighted.per_lexeme
        FROM segment
        JOIN weighted ON weighted.term = segment.term
        WHERE segment.is_wanted AND NOT (SELECT is_enough FROM reached)
    ) AS entry
    GROUP BY number, ordinal
    ORDER BY score DESC, number, ordinal
    LIMIT %(limit)s
),
best AS MATERIALIZED (
    -- One of the two is empty. Apart from what follows, which reads a chunk by its whole key.
    SELECT found.number, found.ordinal, found.score, published.document_id, published.version
    FROM (SELECT * FROM completed UNION ALL SELECT * FROM read_through) AS found
    JOIN published ON published.number = found.number
)
SELECT row_number() OVER (ORDER BY best.score DESC, best.number, best.ordinal)::integer AS rank,
       best.score::double precision AS score,
       document_chunk.chunk_id, best.document_id, best.version,
       document.source, document.title, document.metadata::text AS metadata,
       coalesce(document.content_date::timestamp AT TIME ZONE 'UTC', document.published_at)
           AS dated_at,
       document_chunk.chunk_index, document_chunk.text,
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
