-- What cleaning made of each page.
UPDATE document_page
SET cleaned_text = page.cleaned_text,
    cleaned_headings = page.cleaned_headings,
    offsets = page.offsets,
    label = page.label
FROM json_to_recordset(%(pages)s) AS page (
    page_number integer, cleaned_text text, cleaned_headings jsonb, offsets jsonb, label text)
WHERE document_page.tenant_id = %(tenant_id)s
    AND document_page.document_id = %(document_id)s
    AND document_page.version = %(version)s
    AND document_page.page_number = page.page_number;
