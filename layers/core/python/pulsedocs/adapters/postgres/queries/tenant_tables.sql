-- Every table of a tenant, with its columns of text and whether it names documents.
SELECT pg_class.relname AS name,
       has_table_privilege(pg_class.oid, 'SELECT') AS is_readable,
       bool_or(attname = 'document_id') AS names_documents,
       coalesce(array_agg(attname::text ORDER BY attnum) FILTER (
           WHERE atttypid IN ('text'::regtype, 'varchar'::regtype, 'json'::regtype,
                              'jsonb'::regtype, 'text[]'::regtype, 'varchar[]'::regtype,
                              'jsonb[]'::regtype)), '{}') AS texts
FROM pg_class
JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
WHERE relnamespace = 'pulsedocs'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
GROUP BY pg_class.oid, pg_class.relname
HAVING bool_or(attname = 'tenant_id')
ORDER BY pg_class.relname;
