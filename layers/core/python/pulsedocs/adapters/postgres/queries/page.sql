-- One page of the published version, else of the newest.
SELECT document_page.page_number AS page,
       document_page.label,
       coalesce(document_page.cleaned_text, document_page.raw_text) AS text,
       document_page.raw_text,
       document_page.outcome,
       coalesce(document_page.cleaned_headings, document_page.raw_headings) AS sections
FROM document
JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version = coalesce(document.published_version, document.latest_version)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL AND document_page.page_number = %(number)s;
