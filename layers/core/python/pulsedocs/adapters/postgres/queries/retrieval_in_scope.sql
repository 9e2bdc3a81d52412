-- Whether one document is among those that a question searches.
SELECT EXISTS (
    SELECT FROM document
    JOIN collection
        ON collection.tenant_id = document.tenant_id
        AND collection.collection_id = document.collection_id
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = %(asked_document)s
        AND collection.name = ANY(%(names)s)
        AND {wanted}
) AS is_in_scope
