-- Who did what to which object, and how it ended.
INSERT INTO audit_event (tenant_id, actor, action, object, outcome, detail)
VALUES (%(tenant_id)s, %(actor)s, %(action)s, %(object)s, %(outcome)s, %(detail)s);
