-- The object of a batch, with the version that stands for its copy.
UPDATE batch_item
SET document_id = became.document_id, version = became.version,
    outcome = NULL, code = NULL, message = NULL
FROM document_version AS became
WHERE batch_item.tenant_id = %(tenant_id)s AND batch_item.batch_id = %(batch_id)s
    AND batch_item.source = %(source)s
    AND became.tenant_id = %(tenant_id)s AND became.document_id = %(document_id)s
    AND became.object_version = %(object_version)s
    AND became.pipeline_revision = %(pipeline_revision)s AND NOT became.is_reprocessed;
