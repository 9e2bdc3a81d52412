-- The size of what may be searched: published documents of the scope, their chunks, the newest.
SELECT count(*) AS documents,
       coalesce(sum(doc_stats.n), 0)::bigint AS chunks,
       max(document.published_at) AS published_at
FROM collection
JOIN document
    ON document.tenant_id = collection.tenant_id
    AND document.collection_id = collection.collection_id
JOIN doc_stats
    ON doc_stats.tenant_id = document.tenant_id
    AND doc_stats.collection_id = document.collection_id
    AND doc_stats.document_id = document.document_id
    AND doc_stats.version = document.published_version
WHERE collection.tenant_id = %(tenant_id)s
    AND collection.name = ANY(%(names)s)
    AND {wanted}
