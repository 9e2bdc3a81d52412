-- name: let_roles_sign_in
-- On RDS, lets whoever may use the schema and has a login sign in by IAM token; nothing elsewhere.
DO $$
DECLARE
    application_role text;
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
        FOR application_role IN
            SELECT role.rolname
            FROM pg_namespace AS schema
            CROSS JOIN aclexplode(schema.nspacl) AS allowed
            JOIN pg_roles AS role ON role.oid = allowed.grantee
            WHERE schema.nspname = 'pulsedocs' AND role.rolcanlogin AND NOT role.rolsuper
        LOOP
            EXECUTE format('GRANT rds_iam TO %I', application_role);
        END LOOP;
    END IF;
END $$;


-- name: roles_by_token
-- The application roles that sign in by IAM token.
SELECT role.rolname
FROM pg_auth_members AS membership
JOIN pg_roles AS token ON token.oid = membership.roleid AND token.rolname = 'rds_iam'
JOIN pg_roles AS role ON role.oid = membership.member
WHERE starts_with(role.rolname, 'pulsedocs_') AND role.rolcanlogin
ORDER BY role.rolname;


-- name: share_connections
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


-- name: vector_version
-- The version of pgvector that is installed, or that would be if it is not; no row without any.
SELECT COALESCE(installed_version, default_version)
FROM pg_available_extensions
WHERE name = 'vector';
