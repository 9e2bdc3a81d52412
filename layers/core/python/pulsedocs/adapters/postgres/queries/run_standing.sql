-- Whether a run may still write, and what its step recorded if it has been done.
SELECT document.deleted_at, document_version.fence, document_version.outcome,
       step_ledger.result
FROM document
JOIN document_version USING (tenant_id, document_id)
LEFT JOIN step_ledger
    ON step_ledger.tenant_id = document_version.tenant_id
    AND step_ledger.document_id = document_version.document_id
    AND step_ledger.version = document_version.version
    AND step_ledger.step = %(step)s
    AND step_ledger.batch = %(batch)s
WHERE document.tenant_id = %(tenant_id)s
    AND document.document_id = %(document_id)s
    AND document_version.version = %(version)s;
