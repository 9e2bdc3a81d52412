-- Pages of a version as extraction found them.
SELECT page_number, raw_text, outcome, parser, label, raw_headings, hidden_characters,
       failure_code
FROM document_page
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
ORDER BY page_number;
