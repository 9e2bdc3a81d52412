-- A tenant's collections by name, or one of them, with how many documents each has.
SELECT collection.name,
       collection.active_model AS model,
       collection.chunk_profile,
       collection.retrieval_profile,
       collection.language,
       collection.created_at,
       (SELECT count(*) FROM document
        WHERE document.tenant_id = collection.tenant_id
            AND document.collection_id = collection.collection_id
            AND document.deleted_at IS NULL) AS documents
FROM collection
WHERE collection.tenant_id = %(tenant_id)s
    AND collection.deleted_at IS NULL
    AND (%(name)s::text IS NULL OR collection.name = %(name)s)
ORDER BY collection.name;
