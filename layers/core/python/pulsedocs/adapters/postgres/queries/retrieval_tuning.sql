-- How this transaction searches: strict order would lose rows to filters, 4 MB spill the grouping.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('work_mem', '32MB', true);
