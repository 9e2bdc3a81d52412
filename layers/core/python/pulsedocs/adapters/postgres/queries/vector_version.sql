-- The version of pgvector that is installed, or that would be if it is not; no row without any.
SELECT COALESCE(installed_version, default_version)
FROM pg_available_extensions
WHERE name = 'vector';
