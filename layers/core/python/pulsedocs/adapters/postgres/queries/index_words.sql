-- The keyword index of one version: a row per lexeme and 128 chunks, and its size in lexemes.
WITH lexeme AS MATERIALIZED (
    SELECT document_chunk.chunk_index,
           word.lexeme AS term,
           cardinality(word.positions) AS tf,
           sum(cardinality(word.positions)) OVER (PARTITION BY chunk_index) AS dl
    FROM document_chunk
    CROSS JOIN unnest(to_tsvector(
        (SELECT language::regconfig FROM collection
         WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s),
        concat_ws(E'\n', context_before, document_chunk.text, context_after))) AS word
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.document_id = %(document_id)s
        AND document_chunk.version = %(version)s
),
indexed AS (
    INSERT INTO posting (
        tenant_id, collection_id, term, document_id, version, block, least_dl,
        ordinals, tfs, dls)
    SELECT %(tenant_id)s, %(collection_id)s, term, %(document_id)s, %(version)s,
           chunk_index / 128, min(dl),
           array_agg(chunk_index ORDER BY tf, chunk_index),
           array_agg(tf::smallint ORDER BY tf, chunk_index),
           array_agg(dl::integer ORDER BY tf, chunk_index)
    FROM lexeme
    GROUP BY term, chunk_index / 128
    ORDER BY term COLLATE "C", chunk_index / 128
)
INSERT INTO doc_stats (tenant_id, collection_id, document_id, version, n, total_length)
SELECT %(tenant_id)s, %(collection_id)s, %(document_id)s, %(version)s,
       %(chunks)s, coalesce(sum(tf), 0)
FROM lexeme;
