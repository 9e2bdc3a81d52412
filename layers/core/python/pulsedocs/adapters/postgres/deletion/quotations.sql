-- name: chunks_with_words
-- Chunks of other documents that have the rarest word of a shingle, with a second where it is in 5
-- blocks or more, with a third where it is in 25 or more: in the same chunk, or so near that a page
-- may have the shingle where chunks end amid it. Without that, all documents of a topic were read:
-- 29,105 chunks of 100,000, and 300 now. A word of the deleted document is taken only where its own
-- postings have it: the parser keeps some words together that a shingle has apart.
WITH asked AS (
    SELECT * FROM unnest(%(shingles)s::integer[], %(words)s::text[]) AS asked (shingle, word)
),
said AS MATERIALIZED (
    SELECT DISTINCT held.term
    FROM posting_block AS own
    CROSS JOIN LATERAL (
        SELECT posting.term FROM posting
        WHERE posting.tenant_id = own.tenant_id AND posting.block = own.block
        OFFSET 0
    ) AS held
    WHERE own.tenant_id = %(tenant_id)s AND own.document_id = %(document_id)s
),
spoken AS MATERIALIZED (
    SELECT language,
           EXISTS (SELECT FROM said)
           AND bool_or(collection_id = (
               SELECT document.collection_id FROM document
               WHERE document.tenant_id = %(tenant_id)s
                   AND document.document_id = %(document_id)s)) AS is_own
    FROM collection
    WHERE tenant_id = %(tenant_id)s
    GROUP BY language
),
term AS MATERIALIZED (
    SELECT DISTINCT spoken.language, asked.shingle, word.lexeme COLLATE "C" AS term
    FROM spoken
    CROSS JOIN asked
    CROSS JOIN LATERAL unnest(to_tsvector(spoken.language::regconfig, asked.word)) AS word
    WHERE spoken.is_own IS NOT TRUE
        OR word.lexeme COLLATE "C" IN (SELECT said.term FROM said)
),
counted AS MATERIALIZED (
    SELECT collection.shelf, collection.language, looked_up.term,
           (SELECT count(*) FROM (
               SELECT FROM posting
               WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = collection.shelf
                   AND posting.term = looked_up.term
               LIMIT 25) AS first) AS uses
    FROM collection
    JOIN (SELECT DISTINCT language, term FROM term) AS looked_up USING (language)
    WHERE collection.tenant_id = %(tenant_id)s
),
chosen AS MATERIALIZED (
    SELECT ranked.shelf, ranked.shingle, ranked.term, ranked.place AS number,
           count(*) OVER (PARTITION BY ranked.shelf, ranked.shingle) AS words
    FROM (
        SELECT counted.shelf, term.shingle, counted.term,
               min(counted.uses) OVER (PARTITION BY counted.shelf, term.shingle) AS fewest,
               row_number() OVER (PARTITION BY counted.shelf, term.shingle
                                  ORDER BY counted.uses, length(counted.term) DESC, counted.term
                                 ) AS place
        FROM term
        JOIN counted USING (language, term)
        -- A word that nobody has here may be kept together with its neighbours.
        WHERE counted.uses > 0
    ) AS ranked
    WHERE place <= CASE WHEN fewest < 5 THEN 1 WHEN fewest < 25 THEN 2 ELSE 3 END
),
shared AS MATERIALIZED (
    SELECT held.block,
           max(held.entries) FILTER (WHERE chosen.number = 1) AS rarest,
           max(held.entries) FILTER (WHERE chosen.number = 2) AS second,
           max(held.entries) FILTER (WHERE chosen.number = 3) AS third
    FROM chosen
    CROSS JOIN LATERAL (
        SELECT posting.block, array_prepend(posting.entry, posting.others) AS entries
        FROM posting
        WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = chosen.shelf
            AND posting.term = chosen.term
        LIMIT %(most)s
    ) AS held
    GROUP BY chosen.shelf, chosen.shingle, held.block, chosen.words
    HAVING count(*) = chosen.words
),
-- Where the rarest word is, with the others so near that one shingle can have them.
near AS MATERIALIZED (
    SELECT shared.block, shared.second, shared.third, rarest.place
    FROM shared
    CROSS JOIN LATERAL (SELECT entry & 127 AS place FROM unnest(shared.rarest) AS entry) AS rarest
    WHERE NOT EXISTS (
        SELECT FROM (VALUES (shared.second), (shared.third)) AS other (entries)
        WHERE other.entries IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM unnest(other.entries) AS entry
                WHERE abs((entry & 127) - rarest.place) <= 7))
)
SELECT DISTINCT held.document_id, held.version, held.first_index + near.place AS chunk_index
FROM near
CROSS JOIN LATERAL (
    SELECT posting_block.*
    FROM posting_block
    WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = near.block
    OFFSET 0
) AS held
WHERE held.document_id IS DISTINCT FROM %(document_id)s::uuid
    AND NOT EXISTS (
        SELECT FROM (VALUES (near.second), (near.third)) AS other (entries)
        WHERE other.entries IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM unnest(other.entries) AS entry
                CROSS JOIN LATERAL (
                    SELECT sum(length) AS lexemes
                    FROM unnest(held.lengths[least(entry & 127, near.place) + 2
                                             : greatest(entry & 127, near.place)]) AS length
                ) AS between_them
                WHERE abs((entry & 127) - near.place) <= 7
                    -- The chunks between two words of eight hold six, each two lexemes at most.
                    AND coalesce(between_them.lexemes, 0) <= 12))
ORDER BY 1, 2, 3;


-- name: texts_of_chunks
-- What some chunks say, and the pages that they are on.
WITH found AS (
    SELECT * FROM unnest(
        %(documents)s::uuid[], %(versions)s::integer[], %(indexes)s::integer[]
    ) AS found (document_id, version, chunk_index)
),
chunk AS MATERIALIZED (
    SELECT held.*
    FROM found
    CROSS JOIN LATERAL (
        -- Ordered as in `retrieval_matching`.
        SELECT document_chunk.*
        FROM document_chunk
        WHERE document_chunk.tenant_id = %(tenant_id)s
            AND document_chunk.document_id = found.document_id
            AND document_chunk.version = found.version
            AND document_chunk.chunk_index >= found.chunk_index
        ORDER BY document_chunk.chunk_index
        LIMIT 1
    ) AS held
)
SELECT document_id, ARRAY[text, context_before, context_after] AS texts
FROM chunk
UNION ALL
SELECT page.document_id, ARRAY[held.raw_text, held.cleaned_text]
FROM (
    SELECT DISTINCT document_id, version, page_number
    FROM chunk
    CROSS JOIN LATERAL generate_series(page_start, page_end) AS page_number
) AS page
CROSS JOIN LATERAL (
    SELECT document_page.raw_text, document_page.cleaned_text
    FROM document_page
    WHERE document_page.tenant_id = %(tenant_id)s
        AND document_page.document_id = page.document_id
        AND document_page.version = page.version
        AND document_page.page_number = page.page_number
    OFFSET 0
) AS held;
