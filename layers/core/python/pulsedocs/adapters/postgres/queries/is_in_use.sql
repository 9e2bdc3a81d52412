-- Whether a document has content, or is about to: published, held, or on its way.
SELECT EXISTS (
    SELECT FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
        AND (outcome = 'PUBLISHED' OR outcome IS NULL AND received_at IS NOT NULL));
