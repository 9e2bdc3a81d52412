-- The policies of a collection, each name's revisions newest first; one name or all.
SELECT retrieval_profile.name, retrieval_profile.revision, retrieval_profile.policy,
       retrieval_profile.created_at, retrieval_profile.created_by
FROM collection
JOIN retrieval_profile
    ON retrieval_profile.tenant_id = collection.tenant_id
    AND retrieval_profile.collection_id = collection.collection_id
WHERE collection.tenant_id = %(tenant_id)s
    AND collection.name = %(collection)s
    AND collection.deleted_at IS NULL
    AND (%(name)s::text IS NULL OR retrieval_profile.name = %(name)s)
ORDER BY retrieval_profile.name, retrieval_profile.revision DESC
LIMIT %(limit)s;
