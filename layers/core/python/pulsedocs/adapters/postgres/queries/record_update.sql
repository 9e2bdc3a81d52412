-- Who changed documents, and what the answer was.
INSERT INTO audit_event (tenant_id, event_id, actor, action, object, outcome, detail)
VALUES (%(tenant_id)s, %(update_id)s, %(actor)s, 'update_documents', %(strategy)s, 'DONE',
        %(detail)s);
