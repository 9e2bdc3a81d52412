-- Cleaned text and printed label of the asked pages.
SELECT document_page.document_id,
       document_page.version,
       document_page.page_number,
       document_page.cleaned_text,
       document_page.label
FROM unnest(%(documents)s::uuid[], %(versions)s::integer[], %(pages)s::integer[])
    AS asked (document_id, version, page_number)
JOIN document_page
    ON document_page.tenant_id = %(tenant_id)s
    AND document_page.document_id = asked.document_id
    AND document_page.version = asked.version
    AND document_page.page_number = asked.page_number
JOIN document
    ON document.tenant_id = document_page.tenant_id
    AND document.document_id = document_page.document_id
    AND document.deleted_at IS NULL
WHERE document_page.cleaned_text IS NOT NULL;
