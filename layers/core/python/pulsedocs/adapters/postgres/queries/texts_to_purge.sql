-- What is stored of a document's text, page by page, of its versions one after another.
SELECT coalesce(cleaned_text, raw_text) AS text
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY version, page_number;
