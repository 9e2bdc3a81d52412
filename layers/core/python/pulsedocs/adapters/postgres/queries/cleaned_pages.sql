-- Pages of a version as cleaning left them.
SELECT page_number, cleaned_text, offsets, label, cleaned_headings
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND cleaned_text IS NOT NULL
ORDER BY page_number;
