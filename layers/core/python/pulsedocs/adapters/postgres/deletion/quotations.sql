-- name: chunks_with_words
-- Chunks of other documents that have the rarest word of a shingle, one of fewer than 25 blocks; or
-- else, in blocks that have its three rarest words, one of them. By block, because a page may have
-- a shingle where a chunk ends amid it. A word of the deleted document is taken only where its own
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
    SELECT ranked.shelf, ranked.shingle, ranked.term,
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
    WHERE place = 1 OR place <= 3 AND fewest = 25
),
use AS MATERIALIZED (
    SELECT named.shelf, named.term, held.block, held.entry, held.others
    FROM (SELECT DISTINCT shelf, term FROM chosen) AS named
    CROSS JOIN LATERAL (
        SELECT posting.block, posting.entry, posting.others
        FROM posting
        WHERE posting.tenant_id = %(tenant_id)s AND posting.shelf = named.shelf
            AND posting.term = named.term
        LIMIT %(most)s
    ) AS held
),
shared AS MATERIALIZED (
    SELECT chosen.shelf, chosen.shingle, use.block
    FROM chosen
    JOIN use USING (shelf, term)
    GROUP BY chosen.shelf, chosen.shingle, use.block, chosen.words
    HAVING count(*) = chosen.words
),
place AS MATERIALIZED (
    SELECT DISTINCT use.block, unnest(array_prepend(use.entry, use.others)) & 127 AS place
    FROM shared
    JOIN chosen USING (shelf, shingle)
    JOIN use ON use.shelf = shared.shelf AND use.term = chosen.term AND use.block = shared.block
)
SELECT held.document_id, held.version, held.first_index + place.place AS chunk_index
FROM place
CROSS JOIN LATERAL (
    SELECT posting_block.*
    FROM posting_block
    WHERE posting_block.tenant_id = %(tenant_id)s AND posting_block.block = place.block
    OFFSET 0
) AS held
WHERE held.document_id IS DISTINCT FROM %(document_id)s::uuid
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
