-- The model that a version was cut into batches for.
SELECT result ->> 'model' FROM step_ledger
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND step = 'chunk';
