-- Models without HNSW whose partitions have grown; by their size, which needs no scan.
SELECT model
FROM stage_model
WHERE to_regclass('chunk_embedding_' || model_id || '_hnsw') IS NULL
    -- A row takes its vector at two bytes a dimension, and 110 bytes of keys and headers.
    AND pg_relation_size(to_regclass('chunk_embedding_' || model_id))
        >= %(vectors)s::bigint * (2 * dimensions + 110)
ORDER BY model;
