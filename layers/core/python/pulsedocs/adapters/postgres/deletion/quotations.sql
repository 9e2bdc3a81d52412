-- name: chunks_with_words
-- Chunks of other documents that have the rarest word of a shingle, with a second where it is in 5
-- chunks or more, with a third where it is in 25 or more: in the same chunk, or so near that a page
-- may have the shingle where chunks end amid it. Without that, all documents of a topic were read:
-- 29,105 chunks of 100,000, and 300 now. A word of the deleted document is taken only where its own
-- postings have it: the parser keeps some words together that a shingle has apart.
WITH asked AS (
    SELECT * FROM unnest(%(shingles)s::integer[], %(words)s::text[]) AS asked (shingle, word)
),
own AS MATERIALIZED (
    SELECT block, segment, first_place, first_place + cardinality(lengths) AS end_place
    FROM posting_block
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
),
said AS MATERIALIZED (
    SELECT held.term
    FROM own
    CROSS JOIN LATERAL (
        SELECT posting.term FROM posting
        WHERE posting.tenant_id = %(tenant_id)s AND posting.block = own.block
        OFFSET 0
    ) AS held
    UNION
    SELECT held.term
    FROM own
    CROSS JOIN LATERAL (
        SELECT shared_posting.term::text COLLATE "C" AS term, entry, others
        FROM shared_posting
        WHERE shared_posting.tenant_id = %(tenant_id)s AND shared_posting.segment = own.segment
        OFFSET 0
    ) AS held
    WHERE EXISTS (
        SELECT FROM unnest(array_prepend(held.entry, held.others)) AS use (entry)
        WHERE (use.entry >> 12 & 4095) >= own.first_place
            AND (use.entry >> 12 & 4095) < own.end_place)
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
           (SELECT coalesce(sum(first.uses), 0) FROM (
               (SELECT 1 + coalesce(cardinality(others), 0) AS uses FROM posting
                WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = collection.shelf
                    AND posting.term = looked_up.term
                LIMIT 25)
               UNION ALL
               (SELECT 1 + coalesce(cardinality(others), 0) FROM shared_posting
                WHERE shared_posting.tenant_id = %(tenant_id)s
                    AND shared_posting.shelf = collection.shelf
                    AND shared_posting.term = looked_up.term
                LIMIT 25)) AS first) AS uses
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
-- `unit`: the block, or the segment that several share; their numbers are of one sequence.
use AS MATERIALIZED (
    SELECT chosen.shelf, chosen.shingle, chosen.number, chosen.words, held.unit, held.place
    FROM chosen
    CROSS JOIN LATERAL (
        SELECT listed.unit, listed.entry & 127 AS place
        FROM (
            SELECT posting.block AS unit, unnest(array_prepend(entry, others)) AS entry
            FROM posting
            WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = chosen.shelf
                AND posting.term = chosen.term
            LIMIT 25 * %(most)s::bigint
        ) AS listed
        UNION ALL
        SELECT listed.unit, listed.entry >> 12 & 4095
        FROM (
            SELECT shared_posting.segment AS unit, unnest(array_prepend(entry, others)) AS entry
            FROM shared_posting
            WHERE shared_posting.tenant_id = %(tenant_id)s
                AND shared_posting.shelf = chosen.shelf AND shared_posting.term = chosen.term
            LIMIT 25 * %(most)s::bigint
        ) AS listed
    ) AS held
),
-- Where the rarest word is, with the others so near that one shingle can have them: within seven
-- places, so in the same eight or in the next.
near AS MATERIALIZED (
    SELECT rarest.unit, rarest.place,
           array_agg(DISTINCT other.place) FILTER (WHERE other.number = 2) AS second,
           array_agg(DISTINCT other.place) FILTER (WHERE other.number = 3) AS third
    FROM (
        SELECT use.*, use.place / 8 + step AS eight
        FROM use
        CROSS JOIN generate_series(-1, 1) AS step
        WHERE use.number = 1
    ) AS rarest
    LEFT JOIN use AS other
        ON other.shelf = rarest.shelf
        AND other.shingle = rarest.shingle
        AND other.unit = rarest.unit
        AND other.place / 8 = rarest.eight
        AND other.number > 1
        AND abs(other.place - rarest.place) <= 7
    GROUP BY rarest.shelf, rarest.shingle, rarest.words, rarest.unit, rarest.place
    HAVING count(DISTINCT other.number) = rarest.words - 1
)
SELECT DISTINCT held.document_id, held.version,
       held.first_index + near.place - held.first_place AS chunk_index
FROM near
CROSS JOIN LATERAL (
    (SELECT document_id, version, first_index, lengths, 0 AS first_place
     FROM posting_block
     WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = near.unit
     OFFSET 0)
    UNION ALL
    (SELECT document_id, version, first_index, lengths, first_place
     FROM posting_block
     WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.segment = near.unit
         AND posting_block.first_place <= near.place
     ORDER BY posting_block.first_place DESC
     LIMIT 1)
) AS held
WHERE held.document_id IS DISTINCT FROM %(document_id)s::uuid
    AND NOT EXISTS (
        SELECT FROM (VALUES (near.second), (near.third)) AS other (places)
        WHERE other.places IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM unnest(other.places) AS place
                CROSS JOIN LATERAL (
                    SELECT sum(length) AS lexemes
                    FROM unnest(held.lengths[
                        least(place, near.place) - held.first_place + 2
                        : greatest(place, near.place) - held.first_place]) AS length
                ) AS between_them
                WHERE place >= held.first_place
                    AND place < held.first_place + cardinality(held.lengths)
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
