-- Run once as the database's master, through the Data API: makes the one role that migrates.
--
-- It signs in by IAM token, owns the database, and creates the other roles as migrations ask. The
-- master itself keeps out of it: a role is a member of those that it creates, and a member of
-- rds_iam, however far removed, can no longer sign in with a password. So a role that is dropped
-- again creates it. Locally there is no rds_iam, and passwords do.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pulsedocs_migrate') THEN
        CREATE ROLE pulsedocs_maker NOLOGIN CREATEROLE;
        GRANT pulsedocs_maker TO CURRENT_USER WITH SET TRUE;
        SET LOCAL ROLE pulsedocs_maker;
        CREATE ROLE pulsedocs_migrate LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE NOCREATEDB;
        GRANT pulsedocs_migrate TO CURRENT_USER WITH SET TRUE;
        RESET ROLE;
        EXECUTE format('ALTER DATABASE %I OWNER TO pulsedocs_migrate', current_database());
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
            GRANT rds_iam TO pulsedocs_migrate WITH ADMIN OPTION;
        END IF;
        DROP ROLE pulsedocs_maker;
    END IF;
END $$;
