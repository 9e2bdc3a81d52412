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
