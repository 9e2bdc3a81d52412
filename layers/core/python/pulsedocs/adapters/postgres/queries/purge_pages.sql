-- Some of the pages of a deleted document.
DELETE FROM document_page
WHERE (tenant_id, document_id, version, page_number) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.page_number
    FROM document_page AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);
