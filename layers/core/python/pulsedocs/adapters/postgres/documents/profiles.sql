-- name: add_profile_revision
-- A policy's next revision, in a collection that is locked.
INSERT INTO retrieval_profile (tenant_id, collection_id, name, revision, policy, created_by)
SELECT %(tenant_id)s, %(collection_id)s, %(name)s, coalesce(max(revision), 0) + 1,
       %(policy)s, %(actor)s
FROM retrieval_profile
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND name = %(name)s
RETURNING revision, created_at;


-- name: profile_revisions
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
