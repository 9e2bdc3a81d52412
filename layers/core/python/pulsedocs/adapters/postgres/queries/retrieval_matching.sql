-- The chunks of the scope that match a question's words best, with all that selection needs.
-- BM25 over array segments, k1 1.2, b 0.75, idf and score as bm25s has them under "lucene", times
-- k1 + 1. Frequencies, counts and lengths are of all published versions of the collections; the
-- scope only chooses what returns.
WITH question AS MATERIALIZED (
    -- unnest, not a tsquery: no character of a question is an operator.
    SELECT word.lexeme COLLATE "C" AS term
    FROM unnest(to_tsvector(%(language)s::regconfig, %(words)s)) AS word
),
corpus AS MATERIALIZED (
    SELECT sum(doc_stats.n)::double precision AS chunks,
           sum(doc_stats.total_length)::double precision / nullif(sum(doc_stats.n), 0)
               AS mean_length
    FROM doc_stats
    JOIN document
        ON document.tenant_id = doc_stats.tenant_id
        AND document.document_id = doc_stats.document_id
        AND document.published_version = doc_stats.version
    WHERE doc_stats.tenant_id = %(tenant_id)s
        AND doc_stats.collection_id = ANY(%(collections)s)
),
-- Read once: the frequency of a term is the sum of the lengths of its own arrays.
matched AS MATERIALIZED (
    SELECT posting.term, posting.document_id, posting.version,
           posting.ordinals, posting.tfs, posting.dls, ({wanted}) AS is_wanted
    FROM question
    JOIN posting ON posting.term = question.term
    JOIN document
        ON document.tenant_id = posting.tenant_id
        AND document.document_id = posting.document_id
        AND document.published_version = posting.version
    WHERE posting.tenant_id = %(tenant_id)s
        AND posting.collection_id = ANY(%(collections)s)
),
weighted AS MATERIALIZED (
    SELECT frequency.term,
           2.2 * ln(1 + (corpus.chunks - frequency.df + 0.5) / (frequency.df + 0.5)) AS weight,
           1.2 * 0.75 / corpus.mean_length AS per_lexeme
    FROM (
        SELECT term, sum(cardinality(ordinals))::double precision AS df
        FROM matched
        GROUP BY term
    ) AS frequency
    CROSS JOIN corpus
),
best AS MATERIALIZED (
    -- As real: the order in which a plan adds up must not decide a tie.
    SELECT matched.document_id, matched.version, entry.ordinal,
           sum(weighted.weight * entry.tf
               / (0.3::double precision + entry.tf + weighted.per_lexeme * entry.dl))::real AS score
    FROM matched
    JOIN weighted ON weighted.term = matched.term
    CROSS JOIN unnest(matched.ordinals, matched.tfs, matched.dls) AS entry (ordinal, tf, dl)
    WHERE matched.is_wanted
    GROUP BY matched.document_id, matched.version, entry.ordinal
    ORDER BY score DESC, matched.document_id, entry.ordinal
    LIMIT %(limit)s
)
SELECT row_number() OVER (ORDER BY best.score DESC, best.document_id, best.ordinal)::integer
           AS rank,
       best.score::double precision AS score,
       document_chunk.chunk_id, best.document_id, best.version,
       document.source, document.title, document.metadata,
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
