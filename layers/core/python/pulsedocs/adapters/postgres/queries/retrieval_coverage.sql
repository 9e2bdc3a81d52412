-- Published documents of the scope that have pages without readable text, and how many.
SELECT document.document_id,
       count(*) AS pages_unreadable,
       coalesce(max(document_version.page_count), 0) AS pages_total
FROM document
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version = document.published_version
JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version = document.published_version
    AND document_page.outcome <> 'TEXT'
WHERE document.tenant_id = %(tenant_id)s
    AND document.collection_id = ANY(%(collections)s)
    AND {wanted}
GROUP BY document.document_id
ORDER BY document.document_id
