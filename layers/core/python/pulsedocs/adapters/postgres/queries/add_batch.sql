-- A batch that nothing has been done for yet.
INSERT INTO batch (tenant_id, batch_id, prefix, choices)
VALUES (%(tenant_id)s, %(batch_id)s, %(prefix)s, %(choices)s);
