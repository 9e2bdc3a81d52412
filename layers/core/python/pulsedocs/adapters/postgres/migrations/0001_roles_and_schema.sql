-- The schema, its owner, and the application roles: none owns anything, none bypasses row security.
DO $$
DECLARE
    application_role text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pulsedocs_owner') THEN
        CREATE ROLE pulsedocs_owner NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT NOCREATEROLE NOCREATEDB;
    END IF;
    FOREACH application_role IN ARRAY ARRAY[
        'pulsedocs_api', 'pulsedocs_ingest', 'pulsedocs_query', 'pulsedocs_sweep']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = application_role) THEN
            EXECUTE format(
                'CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT NOCREATEROLE NOCREATEDB',
                application_role);
        END IF;
        EXECUTE format('ALTER ROLE %I SET search_path = pulsedocs, public', application_role);
        EXECUTE format('ALTER ROLE %I SET jit = off', application_role);
        EXECUTE format('ALTER ROLE %I SET lock_timeout = ''3s''', application_role);
        -- A frozen Lambda keeps its socket, and Aurora pauses only at zero connections.
        EXECUTE format('ALTER ROLE %I SET idle_session_timeout = ''60s''', application_role);
        EXECUTE format(
            'ALTER ROLE %I SET idle_in_transaction_session_timeout = ''10s''', application_role);
    END LOOP;
    -- Shorter than the shortest timeout of a function with the role, so that the function hears it.
    ALTER ROLE pulsedocs_api SET statement_timeout = '10s';
    ALTER ROLE pulsedocs_ingest SET statement_timeout = '50s';
    ALTER ROLE pulsedocs_query SET statement_timeout = '10s';
    ALTER ROLE pulsedocs_sweep SET statement_timeout = '60s';
END $$;

GRANT pulsedocs_owner TO CURRENT_USER WITH SET TRUE;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

DO $$
DECLARE
    installed text := (SELECT extversion FROM pg_extension WHERE extname = 'vector');
BEGIN
    -- 0.8 brought iterative index scans; without them a filtered search loses rows silently.
    IF string_to_array(installed, '.')::int[] < ARRAY[0, 8] THEN
        RAISE EXCEPTION 'pgvector % is installed; PulseDocs needs 0.8 or later', installed
            USING HINT = 'ALTER EXTENSION vector UPDATE, or choose a newer engine version.';
    END IF;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
    TO pulsedocs_owner, pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;

CREATE SCHEMA pulsedocs AUTHORIZATION pulsedocs_owner;
GRANT USAGE ON SCHEMA pulsedocs
    TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
