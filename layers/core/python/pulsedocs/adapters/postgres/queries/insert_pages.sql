-- Pages as extraction found them. COPY is refused under row-level security, hence JSON.
INSERT INTO document_page (
    tenant_id, document_id, version, page_number, outcome, failure_code, parser, label,
    hidden_characters, raw_text, raw_headings)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, page_number, outcome, failure_code, parser,
       label, hidden_characters, raw_text, raw_headings
FROM json_to_recordset(%(pages)s) AS page (
    page_number integer, outcome text, failure_code text, parser text, label text,
    hidden_characters integer, raw_text text, raw_headings jsonb)
ORDER BY page_number;
