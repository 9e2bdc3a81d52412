-- The migrations that have run; belongs to whoever migrates, holds no tenant's data.
CREATE TABLE IF NOT EXISTS public.pulsedocs_migrations (
    name     text PRIMARY KEY,
    checksum text NOT NULL,
    ran_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
