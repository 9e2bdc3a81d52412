-- name: create_migration_table
-- The migrations that have run; belongs to whoever migrates, holds no tenant's data.
CREATE TABLE IF NOT EXISTS public.pulsedocs_migrations (
    name     text PRIMARY KEY,
    checksum text NOT NULL,
    ran_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);


-- name: migrations_done
-- Name and checksum of each migration that has run.
SELECT name, checksum
FROM public.pulsedocs_migrations
ORDER BY name;


-- name: record_migration
-- One migration that has just run.
INSERT INTO public.pulsedocs_migrations (name, checksum)
VALUES (%(name)s, %(checksum)s);


-- name: limit_waits_for_locks
-- For one transaction. The roles of the product wait for a lock for 3 s: whoever queues behind a
-- migration gets its turn before that.
SELECT set_config('lock_timeout', '1s', true);
