-- The version that stands for one object version under one revision of the pipeline.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND object_version = %(object_version)s AND pipeline_revision = %(pipeline_revision)s
    AND NOT is_reprocessed;
