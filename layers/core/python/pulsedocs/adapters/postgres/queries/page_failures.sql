-- Pages of the published version, else of the newest, that could not be read.
SELECT document_page.page_number, document_page.failure_code
FROM document
JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version = coalesce(document.published_version, document.latest_version)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL AND document_page.outcome = 'FAILED'
ORDER BY document_page.page_number;
