-- Whether some version stands for an object version, whatever the pipeline's revision was then.
SELECT true
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND object_version = %(object_version)s
LIMIT 1;
