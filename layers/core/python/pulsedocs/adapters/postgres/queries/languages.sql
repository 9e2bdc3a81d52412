-- The text search configurations of this PostgreSQL: the languages a collection may have.
SELECT cfgname::text
FROM pg_ts_config
WHERE cfgnamespace = 'pg_catalog'::regnamespace
ORDER BY cfgname;
