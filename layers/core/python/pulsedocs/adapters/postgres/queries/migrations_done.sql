-- Name and checksum of each migration that has run.
SELECT name, checksum
FROM public.pulsedocs_migrations
ORDER BY name;
