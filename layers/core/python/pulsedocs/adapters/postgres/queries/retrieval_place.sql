-- One page of the published version, else of the newest, and the object it was read from.
SELECT document_version.object_version, document_version.content_type,
       document_page.parser, document_page.raw_text, document_page.cleaned_text,
       document_page.offsets
FROM document
LEFT JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version = coalesce(document.published_version, document.latest_version)
    AND document_page.page_number = %(page)s
LEFT JOIN document_version
    ON document_version.tenant_id = document_page.tenant_id
    AND document_version.document_id = document_page.document_id
    AND document_version.version = document_page.version
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL;
