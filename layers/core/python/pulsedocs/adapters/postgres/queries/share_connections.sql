-- Divides what this database takes among the roles: ingestion cannot take what questions need.
DO $$
DECLARE
    share record;
BEGIN
    -- A tenth is left to migrations, to a person, and to what RDS keeps for itself.
    FOR share IN
        SELECT * FROM (VALUES
            ('pulsedocs_api', 15), ('pulsedocs_ingest', 50),
            ('pulsedocs_query', 20), ('pulsedocs_sweep', 5)) AS of (role, percent)
    LOOP
        EXECUTE format(
            'ALTER ROLE %I CONNECTION LIMIT %s', share.role,
            current_setting('max_connections')::integer * share.percent / 100);
    END LOOP;
END $$;
