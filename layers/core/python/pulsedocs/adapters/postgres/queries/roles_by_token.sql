-- The application roles that sign in by IAM token.
SELECT role.rolname
FROM pg_auth_members AS membership
JOIN pg_roles AS token ON token.oid = membership.roleid AND token.rolname = 'rds_iam'
JOIN pg_roles AS role ON role.oid = membership.member
WHERE starts_with(role.rolname, 'pulsedocs_') AND role.rolcanlogin
ORDER BY role.rolname;
