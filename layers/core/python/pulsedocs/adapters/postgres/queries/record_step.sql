-- One step that was done, with what it gave.
INSERT INTO step_ledger (tenant_id, document_id, version, step, batch, fence, result, elapsed_ms)
VALUES (%(tenant_id)s, %(document_id)s, %(version)s, %(step)s, %(batch)s, %(fence)s,
        %(result)s, %(elapsed_ms)s);
