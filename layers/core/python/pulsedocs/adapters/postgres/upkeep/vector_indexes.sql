-- name: vector_indexes_due
-- Models without a valid HNSW whose partitions have grown; by their size, which needs no scan.
SELECT model_id, model, dimensions
FROM stage_model
WHERE NOT EXISTS (
        SELECT FROM pg_index
        WHERE indexrelid = to_regclass('chunk_embedding_' || model_id || '_hnsw') AND indisvalid)
    -- A row takes its vector at two bytes a dimension, and 110 bytes of keys and headers.
    AND pg_relation_size(to_regclass('chunk_embedding_' || model_id))
        >= %(vectors)s::bigint * (2 * dimensions + 110)
ORDER BY model;


-- name: take_turn_to_index
-- Whether this session may build until it ends: two builds at once would wait for each other.
SELECT pg_try_advisory_lock(hashtext('pulsedocs.vector_index'), 0);


-- name: index_without_limits
-- How this session builds: as long as it takes, left alone too, in memory that the server has.
SELECT graph / 1048576 AS graph_megabytes,
       memory / 1048576 AS memory_megabytes,
       set_config('role', 'pulsedocs_indexer', false),
       set_config('search_path', 'pulsedocs, public', false),
       set_config('statement_timeout', '0', false),
       set_config('lock_timeout', '0', false),
       set_config('client_connection_check_interval', '0', false),
       set_config('maintenance_work_mem', memory / 1024 || 'kB', false)
FROM (
    -- A graph in memory takes about twice its vectors; what spills takes seven times the CPU (docs,
    -- capacity). A quarter of the buffers, which grow and shrink with the capacity; 64 MB at least.
    SELECT graph,
           greatest(67108864,
                    least(graph, pg_size_bytes(current_setting('shared_buffers')) / 4)) AS memory
    FROM (
        SELECT 2 * pg_relation_size(
            to_regclass('chunk_embedding_' || %(model_id)s::text)) AS graph) AS partition
) AS needed;


-- name: drop_vector_index
-- Nothing of an index whose build was cut short.
DROP INDEX CONCURRENTLY IF EXISTS {index};


-- name: create_vector_index
-- An index of one model's vectors, built while others write.
CREATE INDEX CONCURRENTLY {index} ON {partition}
USING hnsw ((embedding::halfvec({width})) halfvec_cosine_ops);
