-- Some of the postings of a deleted document.
DELETE FROM posting
WHERE (tenant_id, collection_id, term, document_id, version) IN (
    SELECT part.tenant_id, part.collection_id, part.term, part.document_id, part.version
    FROM posting AS part
    JOIN document USING (tenant_id, document_id)
    WHERE part.tenant_id = %(tenant_id)s AND part.document_id = %(document_id)s
        AND document.deleted_at IS NOT NULL
    LIMIT %(rows)s);
