-- This transaction sorts in memory: 1,500 chunks have 67,000 words, and 4 MB spill to disk.
SELECT set_config('work_mem', '64MB', true);
